import { type Kysely, sql } from 'kysely';
import type { MailRecipient } from '../../contract/history.ts';
import { PAGE_SIZE } from '../../contract/paging.ts';
import type { Database, MailTable } from '../database/tables.ts';
import type { PageRows } from './page.ts';
import { type Subject, stillThere } from './subject.queries.ts';

/** A mail without its text. */
export interface MailHeader extends Omit<MailTable, 'recipients' | 'body'> {
  readonly recipients: readonly MailRecipient[];
}

/**
 * One page of a mailbox, newest first: a range of positions, so that all pages cost the same, whatever the size of the
 * mailbox.
 */
export async function findMails(
  db: Kysely<Database>,
  characterId: number,
  page: number,
): Promise<PageRows<MailHeader>> {
  const { rows } = await sql<MailHeader & { readonly total: number }>`
    with ends as materialized (
      select max(position) as newest, min(position) as oldest from mailbox_mails where character_id = ${characterId}
    )
    select coalesce(ends.newest - ends.oldest + 1, 0) as total,
      m.mail_id, m.from_id, m.from_name, m.recipients, m.subject, m.timestamp
    from ends
      left join lateral (
        select mail_id, position from mailbox_mails
        where character_id = ${characterId}
          and position > ends.newest - ${page * PAGE_SIZE}::bigint
          and position <= ends.newest - ${(page - 1) * PAGE_SIZE}::bigint
        order by position desc limit ${sql.lit(PAGE_SIZE)}
      ) held on true
      left join mails m using (mail_id)
    order by held.position desc`.execute(db);
  // A page without mails is one row with only the total.
  return { rows: rows.filter((row) => row.mail_id !== null), total: rows[0]?.total ?? 0 };
}

export interface StoredMail extends MailHeader {
  readonly body: string | null;
  readonly wants_body: boolean;
}

/** A mail in the character's mailbox (D36b). */
export async function findMail(
  db: Kysely<Database>,
  characterId: number,
  mailId: number,
): Promise<StoredMail | undefined> {
  const row = await db
    .selectFrom('mailbox_mails as b')
    .innerJoin('mails as m', 'm.mail_id', 'b.mail_id')
    .selectAll('m')
    .select('b.wants_body')
    .where('b.character_id', '=', characterId)
    .where('b.mail_id', '=', mailId)
    .executeTakeFirst();
  return row && { ...row, recipients: row.recipients as readonly MailRecipient[] };
}

/** How far a mailbox is indexed: its oldest known mail, and whether there are older ones at the provider. */
export async function findExtent(
  db: Kysely<Database>,
  characterId: number,
): Promise<{ readonly oldest: number | null; readonly complete: boolean }> {
  const { rows } = await sql<{ oldest: number | null; complete: boolean }>`
    select (select min(mail_id) from mailbox_mails where character_id = ${characterId}) as oldest,
      coalesce((select complete from mailboxes where character_id = ${characterId}), false) as complete`.execute(
    db,
  );
  return rows[0] ?? { oldest: null, complete: false };
}

/** Those of the mails that are in the mailbox already. */
export async function findKnown(
  db: Kysely<Database>,
  characterId: number,
  mailIds: readonly number[],
): Promise<Set<number>> {
  const rows = await db
    .selectFrom('mailbox_mails')
    .select('mail_id')
    .where('character_id', '=', characterId)
    .where('mail_id', '=', sql<number>`any(${[...mailIds]}::bigint[])`)
    .execute();
  return new Set(rows.map((row) => row.mail_id));
}

/** Creates or locks the mailbox; false when the user was deleted or has a new owner (D19b, D29b). */
export async function lockMailbox(db: Kysely<Database>, subject: Subject): Promise<boolean> {
  const { rows } = await sql`
    insert into mailboxes (character_id) select character_id from (${stillThere(subject)}) as subject
    on conflict (character_id) do update set character_id = excluded.character_id
    returning character_id`.execute(db);
  return rows.length === 1;
}

/** Marks that everything older is stored, unless the mailbox was begun anew meanwhile. */
export async function markComplete(db: Kysely<Database>, subject: Subject): Promise<void> {
  await sql`
    with subject as materialized (${stillThere(subject)})
    update mailboxes set complete = true where character_id in (select character_id from subject)`.execute(
    db,
  );
}

/**
 * Stores mails, some of which may exist already from another mailbox, and locks those (see {@link deleteMailboxes}).
 */
export async function insertMails(db: Kysely<Database>, mails: readonly MailHeader[]): Promise<void> {
  const ids = mails.map((mail) => mail.mail_id);
  await db
    .selectFrom('mails')
    .where('mail_id', '=', sql<number>`any(${ids}::bigint[])`)
    .orderBy('mail_id')
    .forKeyShare()
    .execute();
  await sql`
    insert into mails (mail_id, from_id, from_name, recipients, subject, timestamp)
    select mail_id, from_id, from_name, recipients, subject, timestamp
    from jsonb_to_recordset(${JSON.stringify(mails)}::jsonb)
      as found(mail_id bigint, from_id bigint, from_name text, recipients jsonb, subject text, timestamp timestamptz)
    order by mail_id
    on conflict do nothing`.execute(db);
}

/** The end of the mailbox towards which mails are renumbered when others are inserted. */
export type End = 'newest' | 'oldest';

/**
 * For each end: comparison, order and step of positions towards it, its position, and the one before the first step.
 */
const TOWARDS = {
  newest: {
    after: sql`>`,
    before: sql`<`,
    upTo: sql`<= (select newest from ends)`,
    away: sql`asc`,
    back: sql`desc`,
    step: sql`+`,
    start: sql`oldest - 1`,
  },
  oldest: {
    after: sql`<`,
    before: sql`>`,
    upTo: sql`>= (select oldest from ends)`,
    away: sql`desc`,
    back: sql`asc`,
    step: sql`-`,
    start: sql`newest + 1`,
  },
} as const;

/** A scalar subquery, so that the mailbox is read in the order of positions instead of being joined with all mails. */
const timeOfMail = sql`(select m.timestamp from mails m where m.mail_id = b.mail_id)`;

/**
 * Inserts stored mails into a locked mailbox, in order of time and without gaps between positions. Mails between the
 * new ones and the given end are renumbered; those on the other side stay.
 */
export async function insertIntoMailbox(
  db: Kysely<Database>,
  characterId: number,
  mailIds: readonly number[],
  end: End,
): Promise<void> {
  if (mailIds.length === 0) return;
  const { after, before, upTo, away, back, step, start } = TOWARDS[end];
  await sql`
    with arriving as materialized (
      select mail_id, timestamp, body is null as wants_body from mails
      where mail_id = any(${[...mailIds]}::bigint[])
        and mail_id not in (select mail_id from mailbox_mails
          where character_id = ${characterId} and mail_id = any(${[...mailIds]}::bigint[]))
    ), first as materialized (
      select timestamp, mail_id from arriving order by timestamp ${away}, mail_id ${away} limit 1
    ), ends as materialized (
      select max(position) as newest, min(position) as oldest from mailbox_mails where character_id = ${characterId}
    ), fixed as materialized (
      select coalesce(
        (select b.position from mailbox_mails b
          where b.character_id = ${characterId}
            and (${timeOfMail}, b.mail_id) ${before} (select timestamp, mail_id from first)
          order by b.position ${back} limit 1),
        (select ${start} from ends),
        0) as position
    ), moving as (
      select mail_id, timestamp, wants_body from arriving
      union all
      select b.mail_id, ${timeOfMail}, b.wants_body from mailbox_mails b
      where b.character_id = ${characterId}
        -- Bounded on both sides; otherwise the planner estimates a third of all rows.
        and b.position ${after} (select position from fixed) and b.position ${upTo}
        and exists (select from arriving)
    )
    insert into mailbox_mails as b (character_id, mail_id, position, wants_body)
    select ${characterId}, mail_id,
      (select position from fixed) ${step} row_number() over (order by timestamp ${away}, mail_id ${away}),
      wants_body
    from moving
    on conflict (character_id, mail_id) do update set position = excluded.position
      where b.position <> excluded.position`.execute(db);
}

/** Mails of a mailbox whose text is not fetched yet, newest first. */
export async function findBodiless(
  db: Kysely<Database>,
  characterId: number,
  most: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('mailbox_mails')
    .select('mail_id')
    .where('character_id', '=', characterId)
    .where(sql<boolean>`wants_body`)
    .orderBy('position', 'desc')
    .limit(most)
    .execute();
  return rows.map((row) => row.mail_id);
}

/** Stores a mail's text for all mailboxes that contain it. */
export async function saveBody(db: Kysely<Database>, mailId: number, body: string): Promise<void> {
  await sql`
    with saved as (update mails set body = ${body} where mail_id = ${mailId} and body is null)
    update mailbox_mails set wants_body = false where mail_id = ${mailId} and wants_body`.execute(db);
}

/** Records that the provider no longer has the text for this mailbox; it may still come from another mailbox. */
export async function giveUpBody(db: Kysely<Database>, characterId: number, mailId: number): Promise<void> {
  await db
    .updateTable('mailbox_mails')
    .set({ wants_body: false })
    .where('character_id', '=', characterId)
    .where('mail_id', '=', mailId)
    .execute();
}

/** Deletes mailboxes, and mails that are in no other mailbox. */
export async function deleteMailboxes(db: Kysely<Database>, characterIds: readonly number[]): Promise<void> {
  const owners = sql`any(${[...characterIds]}::bigint[])`;
  const { rows } = await sql<{ mail_id: number }>`
    with held as (delete from mailbox_mails where character_id = ${owners} returning mail_id)
    select m.mail_id from mails m
    where m.mail_id in (select mail_id from held)
      and not exists (
        select from mailbox_mails other where other.mail_id = m.mail_id and not other.character_id = ${owners})
    order by m.mail_id for update of m`.execute(db);
  // Locked, so that a concurrent transaction that adds one of them to another mailbox has finished and is visible to
  // this statement.
  await sql`
    delete from mails m where mail_id = any(${rows.map((row) => row.mail_id)}::bigint[])
      and not exists (select from mailbox_mails other where other.mail_id = m.mail_id)`.execute(db);
  await db.deleteFrom('mailboxes').where('character_id', 'in', characterIds).execute();
}

/** Looks at `most` mails after the id `after`, by id: returns those that are in no mailbox, and the last id. */
export async function findOrphans(
  db: Kysely<Database>,
  after: number,
  most: number,
): Promise<{ readonly last: number | null; readonly orphans: readonly number[] }> {
  const { rows } = await sql<{ last: number | null; mail_id: number | null }>`
    with page as materialized (
      select mail_id from mails where mail_id > ${after} order by mail_id limit ${most}
    )
    select ends.last, orphan.mail_id
    from (select max(mail_id) as last from page) ends
      left join (
        select mail_id from page
        where not exists (select from mailbox_mails held where held.mail_id = page.mail_id)) orphan on true`.execute(
    db,
  );
  return {
    last: rows[0]?.last ?? null,
    orphans: rows.flatMap(({ mail_id }) => (mail_id === null ? [] : [mail_id])),
  };
}

/** Deletes those of the mails that are in no mailbox; mails that a concurrent transaction is adding to one are kept. */
export async function deleteOrphans(tx: Kysely<Database>, mailIds: readonly number[]): Promise<number> {
  const { rows } = await sql<{ mail_id: number }>`
    select mail_id from mails where mail_id = any(${[...mailIds]}::bigint[])
    order by mail_id for update skip locked`.execute(tx);
  const { numAffectedRows = 0n } = await sql`
    delete from mails m where mail_id = any(${rows.map((row) => row.mail_id)}::bigint[])
      and not exists (select from mailbox_mails held where held.mail_id = m.mail_id)`.execute(tx);
  return Number(numAffectedRows);
}
