import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Application } from '../../contract/application.ts';
import type { Database } from '../database/tables.ts';
import { areOne } from '../person/person.queries.ts';
import { moderates } from '../policy/eligibility.queries.ts';
import { decidedAt, isPendingAt, stateAt } from '../policy/pending.queries.ts';
import { ownedSince } from '../policy/policy.queries.ts';

/** A stored application with everything that answers contain. */
export type ApplicationRow = Omit<Application, 'created_on' | 'expires_on' | 'decided_on'> & {
  readonly created_on: Date;
  readonly expires_on: Date;
  readonly decided_on: Date | null;
  /** In which order they were made. */
  readonly sequence: number;
};

// Applications that were made by a former release have neither the name nor the questions.
const recordAt = (now: Date, note: RawBuilder<unknown>) => sql`
  select a.application_id, a.sequence, ${stateAt(now)} as state, a.message, a.answers, a.created_on, a.expires_on,
    ${decidedAt(now)} as decided_on, a.reason, ${note} as note,
    json_build_object('group_id', a.group_id,
      'group_name', coalesce(a.group_name, g.group_name, '')) as "group",
    json_build_object('character_id', w.character_id, 'character_name', w.character_name) as applicant,
    case when a.decided_by is not null then json_build_object(
      'character_id', a.decided_by, 'character_name', a.decided_by_name) end as decided_by,
    coalesce(a.questions, p.questions, '{}') as questions
  from applications a join users w using (character_id) left join groups g using (group_id)
    left join group_policies p using (group_id)`;

/** The cursor of a page, its maximum size, and the time as of which applications are shown. */
export interface Page {
  /** The sequence of the last one of the page before. */
  readonly after: number | undefined;
  readonly most: number;
  readonly now: Date;
}

async function find(
  db: Kysely<Database>,
  which: RawBuilder<unknown>,
  { after, most, now }: Page,
  note = sql`a.note`,
): Promise<ApplicationRow[]> {
  const older = after === undefined ? sql`true` : sql`a.sequence < ${after}`;
  const { rows } = await sql<ApplicationRow>`
    ${recordAt(now, note)} where ${which} and ${older} order by a.sequence desc limit ${most}`.execute(db);
  return rows;
}

export async function findApplication(
  db: Kysely<Database>,
  id: string,
  now: Date,
): Promise<ApplicationRow | undefined> {
  return (await find(db, sql`a.application_id = ${id}`, { after: undefined, most: 1, now }))[0];
}

/** The number of pending applications of a character's present owner, and of those it made since a time. */
export async function countApplications(
  db: Kysely<Database>,
  characterId: number,
  now: Date,
  since: Date,
): Promise<{ readonly pending: number; readonly made: number }> {
  const { rows } = await sql<{ pending: number; made: number }>`
    select count(*) filter (where ${isPendingAt(now)})::int as pending,
      count(*) filter (where a.created_on > ${since})::int as made
    from applications a join users u using (character_id)
    where a.character_id = ${characterId} and a.created_on >= ${ownedSince(sql`u`)}`.execute(db);
  return rows[0] ?? { pending: 0, made: 0 };
}

/** The applications of a character's present owner. */
export function findApplicationsOf(
  db: Kysely<Database>,
  characterId: number,
  page: Page,
): Promise<ApplicationRow[]> {
  return find(db, sql`a.character_id = ${characterId} and a.created_on >= ${ownedSince(sql`w`)}`, page);
}

/** The applications to a group. Those that the deciders may not decide, as they are their own, come without the note. */
export function findApplicationsTo(
  db: Kysely<Database>,
  groupId: string,
  deciders: readonly number[],
  state: Application['state'] | undefined,
  page: Page,
): Promise<ApplicationRow[]> {
  const own = isOneOf(sql`a.character_id`, deciders);
  const note = sql`case when not ${own} then a.note end`;
  return find(db, sql`a.group_id = ${groupId} and ${inState(state, page.now)}`, page, note);
}

function inState(state: Application['state'] | undefined, now: Date): RawBuilder<unknown> {
  if (state === undefined) return sql`true`;
  return state === 'pending' ? isPendingAt(now) : sql`${stateAt(now)} = ${state}`;
}

/**
 * Pending applications that a user may decide. The right is evaluated once for each group, not for each application.
 */
export function findApplicationsFor(
  db: Kysely<Database>,
  characterId: number,
  page: Page,
): Promise<ApplicationRow[]> {
  return find(
    db,
    sql`${isPendingAt(page.now)} and not ${areOne(sql`a.character_id`, sql`${characterId}::bigint`)} and a.group_id in (
      select g.group_id from group_policies p join groups g using (group_id)
        join users u on u.character_id = ${characterId}
      where ${moderates})`,
    page,
  );
}

/** Whether the applicant is a character of the same person as one of the deciders. */
export async function isOwn(
  db: Kysely<Database>,
  applicantId: number,
  deciders: readonly number[],
): Promise<boolean> {
  const own = isOneOf(sql`${applicantId}::bigint`, deciders);
  const { rows } = await sql<{ own: boolean }>`select ${own} as own`.execute(db);
  return rows[0]?.own === true;
}

function isOneOf(applicant: RawBuilder<unknown>, deciders: readonly number[]): RawBuilder<boolean> {
  return sql`exists (select from unnest(${[...deciders]}::bigint[]) decider
    where ${areOne(applicant, sql`decider`)})`;
}

/** Locks an application; lock its group first. */
export async function lockApplication(db: Kysely<Database>, id: string) {
  return db
    .selectFrom('applications')
    .select(['group_id', 'character_id', 'state', 'expires_on'])
    .where('application_id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export interface NewApplication {
  readonly application_id: string;
  readonly group_id: string;
  readonly group_name: string;
  readonly character_id: number;
  readonly message: string;
  readonly questions: string[];
  readonly answers: string[];
  readonly created_on: Date;
  readonly expires_on: Date;
}

export async function insertApplication(
  db: Kysely<Database>,
  application: NewApplication,
  decision: { readonly state: 'pending' | 'approved'; readonly decided_on: Date | null },
): Promise<void> {
  await db
    .insertInto('applications')
    .values({ ...application, ...decision })
    .execute();
}

export interface Decision {
  readonly state: 'approved' | 'rejected' | 'withdrawn';
  readonly decided_on: Date;
  readonly decided_by: number | null;
  readonly decided_by_name: string | null;
  readonly reason: string | null;
  readonly note: string | null;
}

export async function storeDecision(db: Kysely<Database>, id: string, decision: Decision): Promise<void> {
  await db.updateTable('applications').set(decision).where('application_id', '=', id).execute();
}
