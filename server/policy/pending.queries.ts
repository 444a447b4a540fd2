import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import { counts, isEligible } from './eligibility.queries.ts';

/** A pending application that ended without a decision. */
export interface Ended {
  readonly application_id: string;
  readonly group_id: string;
  readonly group_name: string;
  readonly character_id: number;
  readonly character_name: string;
  readonly state: 'expired' | 'void';
}

/** The state of the application `a`, which is expired when its time is over even if no job has stored that (D111). */
export function stateAt(now: Date): RawBuilder<string> {
  return sql`case when a.state = 'pending' and a.expires_on <= ${now} then 'expired' else a.state end`;
}

/** Whether the application `a` waits for a decision. In the words of the partial index that holds pending ones alone. */
export function isPendingAt(now: Date): RawBuilder<boolean> {
  return sql`a.state = 'pending' and a.expires_on > ${now}`;
}

/** The time at which the application `a` was decided or expired. */
export function decidedAt(now: Date): RawBuilder<Date | null> {
  return sql`case when a.state = 'pending' and a.expires_on <= ${now} then a.expires_on else a.decided_on end`;
}

/** Ends pending applications: as expired where their time is over, else as void. */
async function endPending(db: Kysely<Database>, which: RawBuilder<unknown>, now: Date): Promise<Ended[]> {
  const { rows } = await sql<Ended>`
    with ending as (
      select a.application_id, coalesce(a.group_name, g.group_name, '') as group_name, u.character_name
      from applications a join users u using (character_id) left join groups g using (group_id)
        left join group_policies p using (group_id)
        left join corporations c on c.corporation_id = u.corporation_id
      where a.state = 'pending' and ${which}
      order by a.application_id for update of a
    )
    update applications a set state = case when a.expires_on <= ${now} then 'expired' else 'void' end,
      decided_on = least(a.expires_on, ${now}::timestamptz)
    from ending e
    where a.application_id = e.application_id and a.state = 'pending'
    returning a.application_id, a.group_id, e.group_name, a.character_id, e.character_name, a.state`.execute(
    db,
  );
  return rows;
}

/** Ends pending applications that have expired, and those whose applicant may no longer join or is a member (D111). */
export function endApplications(
  db: Kysely<Database>,
  now: Date,
  { groupIds, applicantId }: { readonly groupIds?: readonly string[]; readonly applicantId?: number } = {},
): Promise<Ended[]> {
  const toGroups = groupIds === undefined ? sql`true` : sql`a.group_id = any(${[...groupIds]}::text[])`;
  const ofApplicant = applicantId === undefined ? sql`true` : sql`a.character_id = ${applicantId}`;
  return endPending(
    db,
    sql`${toGroups} and ${ofApplicant} and (a.expires_on <= ${now}
      or p.group_id is null or not ${counts} or p.joining <> 'application' or not ${isEligible}
      or exists (select from group_members m where m.group_id = a.group_id and m.character_id = a.character_id))`,
    now,
  );
}

/** Ends all pending applications to a deleted group. */
export function endApplicationsTo(db: Kysely<Database>, groupId: string, now: Date): Promise<Ended[]> {
  return endPending(db, sql`a.group_id = ${groupId}`, now);
}

/** Ends all pending applications of these characters. */
export function endApplicationsOf(
  db: Kysely<Database>,
  characterIds: readonly number[],
  now: Date,
): Promise<Ended[]> {
  return endPending(db, sql`a.character_id = any(${[...characterIds]}::bigint[])`, now);
}

/** Removes a character from all moderators. */
export async function deleteOffices(db: Kysely<Database>, characterId: number): Promise<void> {
  await db.deleteFrom('group_moderators').where('character_id', '=', characterId).execute();
}
