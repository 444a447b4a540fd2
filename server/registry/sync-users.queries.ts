import { type Kysely, type RawBuilder, sql, type Updateable } from 'kysely';
import { isBuiltIn, isGuest, isMember } from '../access/clearance-levels.queries.ts';
import type { Database } from '../database/tables.ts';

/** A user as the run reads it before it asks the provider. */
export interface VisitedUser {
  readonly character_id: number;
  readonly corporation_id: number | null;
  readonly alliance_id: number | null;
  readonly guest: boolean;
  /** Whether it is its corporation's CEO. */
  readonly ceo: boolean;
  /** Whether a run found it among the deleted characters. */
  readonly marked: boolean;
  /** Whether that was an earlier run, and not this one before a retry (D63b). */
  readonly buried: boolean;
  readonly signed_in: string;
}

/** A position in the order in which users are visited (keyset cursor). */
export interface Place {
  readonly key: string;
  readonly id: number;
}

export interface PageWanted {
  readonly after: Place | undefined;
  /** Inclusive end; undefined: to the last user. */
  readonly upTo: Place | undefined;
  readonly startedOn: Date;
  readonly most: number;
}

/** Milliseconds for which an id that the provider refused is not requested again. */
const RESTS_FOR = 24 * 3_600_000;

/** Minimum milliseconds between two runs that witness a deletion. */
const RUNS_APART = 10 * 60_000;

/** The same expression as in the index users_sync_order. */
const signedIn = sql`coalesce(u.signed_in_on, '-infinity')`;

const beyond = (comparison: RawBuilder<unknown>, place: Place | undefined) =>
  place === undefined
    ? sql``
    : sql`and (${signedIn}, u.character_id) ${comparison} (${place.key}::timestamptz, ${place.id}::bigint)`;

/** Refusals dated more than `RESTS_FOR` ahead count as over: no right clock has written them. */
const visited = (startedOn: Date) => sql<boolean>`
  not ${isBuiltIn}
    and (u.refused_on is null or u.refused_on <= ${new Date(startedOn.getTime() - RESTS_FOR)}::timestamptz
      or u.refused_on > ${new Date(startedOn.getTime() + RESTS_FOR)}::timestamptz)`;

/** Marks of the last minutes may be those of this very run, whose retry comes within seconds. */
const wasBuried = (startedOn: Date) => sql`
  coalesce(u.graveyard_on <= ${new Date(startedOn.getTime() - RUNS_APART)}::timestamptz, false)`;

/** A page of users and guests, latest sign-in first; without the built-in user. */
export async function readUsers(
  db: Kysely<Database>,
  { after, upTo, startedOn, most }: PageWanted,
): Promise<VisitedUser[]> {
  const { rows } = await sql<VisitedUser>`
    select u.character_id, u.corporation_id, c.alliance_id, ${isGuest} as guest,
      c.ceo_id is not distinct from u.character_id and ${isMember} as ceo,
      u.graveyard_on is not null as marked, ${wasBuried(startedOn)} as buried,
      ${signedIn}::text as signed_in
    from users u left join corporations c on c.corporation_id = u.corporation_id
    where ${visited(startedOn)} ${beyond(sql`<`, after)} ${beyond(sql`>=`, upTo)}
    order by ${signedIn} desc, u.character_id desc
    limit ${most}`.execute(db);
  return rows;
}

export async function countUsers(db: Kysely<Database>, startedOn: Date): Promise<number> {
  const { users } = await db
    .selectFrom('users as u')
    .select(({ fn }) => fn.countAll<number>().as('users'))
    .where(visited(startedOn))
    .executeTakeFirstOrThrow();
  return users;
}

/** What a run stores about users for later runs; none of it takes a right away. */
export interface Marks {
  /** Found among the deleted characters for the first time. */
  readonly buried: readonly number[];
  /** No longer among the deleted characters. */
  readonly risen: readonly number[];
  /** Ids that the provider refused as invalid. */
  readonly refused: readonly number[];
}

/** @param now by the clock that all processes share, as another one reads the marks */
export async function saveMarks(
  db: Kysely<Database>,
  { buried, risen, refused }: Marks,
  now: Date,
): Promise<void> {
  const mark = (marks: Updateable<Database['users']>, characterIds: readonly number[]) =>
    db
      .updateTable('users')
      .set(marks)
      .where('character_id', '=', sql<number>`any(${[...characterIds]}::bigint[])`);
  if (buried.length > 0) {
    // A mark of later is that of a clock that was ahead, and witnesses nothing.
    await mark({ graveyard_on: now }, buried)
      .where(({ eb, or }) => or([eb('graveyard_on', 'is', null), eb('graveyard_on', '>', now)]))
      .execute();
  }
  if (risen.length > 0) await mark({ graveyard_on: null }, risen).execute();
  if (refused.length > 0) await mark({ refused_on: now }, refused).execute();
}

/** The cursor where the job's last run stopped; undefined when it was complete. */
export async function readCursor(db: Kysely<Database>, job: string): Promise<Place | undefined> {
  return db
    .selectFrom('run_cursors')
    .select(['after_key as key', 'after_id as id'])
    .where('job_id', '=', job)
    .executeTakeFirst();
}

/** Records that a run that began at `startedOn` has visited all users and was answered about their organizations. */
export async function noteComplete(db: Kysely<Database>, job: string, startedOn: Date): Promise<void> {
  await db
    .insertInto('schedules')
    .values({ job_id: job, ran_on: startedOn, complete_on: startedOn })
    .onConflict((conflict) => conflict.column('job_id').doUpdateSet({ complete_on: startedOn }))
    .execute();
}

/** Stores the cursor where a run stopped; undefined when it was complete. */
export async function saveCursor(db: Kysely<Database>, job: string, place: Place | undefined): Promise<void> {
  if (place === undefined) {
    await db.deleteFrom('run_cursors').where('job_id', '=', job).execute();
    return;
  }
  const row = { after_key: place.key, after_id: place.id };
  await db
    .insertInto('run_cursors')
    .values({ job_id: job, ...row })
    .onConflict((conflict) => conflict.column('job_id').doUpdateSet(row))
    .execute();
}
