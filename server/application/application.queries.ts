import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Application } from '../../contract/application.ts';
import type { Database } from '../database/tables.ts';
import { areOne } from '../person/person.queries.ts';
import { moderates } from './eligibility.queries.ts';

/** A stored application with everything that answers contain. */
export type ApplicationRow = Omit<Application, 'created_on' | 'expires_on' | 'decided_on'> & {
  readonly created_on: Date;
  readonly expires_on: Date;
  readonly decided_on: Date | null;
};

const record = sql`
  select a.application_id, a.state, a.message, a.answers, a.created_on, a.expires_on, a.decided_on, a.reason, a.note,
    json_build_object('group_id', g.group_id, 'group_name', g.group_name) as "group",
    json_build_object('character_id', w.character_id, 'character_name', w.character_name) as applicant,
    case when a.decided_by is not null then json_build_object(
      'character_id', a.decided_by, 'character_name', a.decided_by_name) end as decided_by,
    coalesce(p.questions, '{}') as questions
  from applications a join groups g using (group_id) join users w using (character_id)
    left join group_policies p using (group_id)`;

/** The cursor of a page, and its maximum size. */
export interface Page {
  readonly after: string | undefined;
  readonly most: number;
}

async function find(
  db: Kysely<Database>,
  which: RawBuilder<unknown>,
  { after, most }: Page,
): Promise<ApplicationRow[]> {
  const older = after === undefined ? sql`true` : sql`a.application_id < ${after}`;
  const { rows } = await sql<ApplicationRow>`
    ${record} where ${which} and ${older} order by a.application_id desc limit ${most}`.execute(db);
  return rows;
}

export async function findApplication(db: Kysely<Database>, id: string): Promise<ApplicationRow | undefined> {
  return (await find(db, sql`a.application_id = ${id}`, { after: undefined, most: 1 }))[0];
}

/** The number of a user's pending applications, and of those it made since a time. */
export async function countApplications(
  db: Kysely<Database>,
  characterId: number,
  now: Date,
  since: Date,
): Promise<{ readonly pending: number; readonly made: number }> {
  const { rows } = await sql<{ pending: number; made: number }>`
    select count(*) filter (where state = 'pending' and expires_on > ${now})::int as pending,
      count(*) filter (where created_on > ${since})::int as made
    from applications where character_id = ${characterId}`.execute(db);
  return rows[0] ?? { pending: 0, made: 0 };
}

/** The time since which the character in a row of `users` has its present owner (D29b). */
function ownedSince(user: RawBuilder<unknown>): RawBuilder<Date> {
  return sql`coalesce(${user}.proven_on, '-infinity')`;
}

/** The applications of a character's present owner. */
export function findApplicationsOf(
  db: Kysely<Database>,
  characterId: number,
  page: Page,
): Promise<ApplicationRow[]> {
  return find(db, sql`a.character_id = ${characterId} and a.created_on >= ${ownedSince(sql`w`)}`, page);
}

export function findApplicationsTo(
  db: Kysely<Database>,
  groupId: string,
  state: Application['state'] | undefined,
  page: Page,
): Promise<ApplicationRow[]> {
  const inState = state === undefined ? sql`true` : sql`a.state = ${state}`;
  return find(db, sql`a.group_id = ${groupId} and ${inState}`, page);
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
    sql`a.state = 'pending' and not ${areOne(sql`a.character_id`, sql`${characterId}::bigint`)} and a.group_id in (
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
  const { rows } = await sql<{ own: boolean }>`
    select coalesce(bool_or(${areOne(sql`${applicantId}::bigint`, sql`decider`)}), false) as own
    from unnest(${[...deciders]}::bigint[]) decider`.execute(db);
  return rows[0]?.own === true;
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
  readonly character_id: number;
  readonly message: string;
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

/** A pending application that was made void. */
interface Voided {
  readonly application_id: string;
  readonly group_id: string;
  readonly group_name: string;
  readonly character_id: number;
}

/** Removes a character from all moderators, and makes its pending applications void. */
export async function voidApplications(
  db: Kysely<Database>,
  characterId: number,
  now: Date,
): Promise<Voided[]> {
  await db.deleteFrom('group_moderators').where('character_id', '=', characterId).execute();
  const { rows } = await sql<Voided>`
    update applications a set state = 'void', decided_on = ${now} from groups g
    where a.character_id = ${characterId} and a.state = 'pending' and g.group_id = a.group_id
    returning a.application_id, a.group_id, g.group_name, a.character_id`.execute(db);
  return rows;
}
