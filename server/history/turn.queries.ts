import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import { type HistoryName, RHYTHMS, type Rhythm } from './kinds.ts';

/** A due entry of one character's history, leased by a worker until `until`. */
export interface Turn {
  readonly rhythm: Rhythm;
  readonly characterId: number;
  readonly until: Date;
  /** Consecutive failures before. */
  readonly failures: number;
}

/**
 * Schedules the histories that a new grant allows; those that lacked a scope or a usable refresh token until now, or
 * failed, maybe by one that is dead but was not checked yet, are due at once. Call it before the grant is stored.
 */
export async function openTurns(db: Kysely<Database>, characterId: number, now: Date): Promise<void> {
  const rhythms = JSON.stringify(RHYTHMS.map(({ history, scopes }) => ({ history, scopes })));
  await sql`
    with rhythms as (
      select history, exists (
        select from unnest(scopes) scope where not exists (
          select from standing_grants g
          where g.character_id = ${characterId} and g.usable and g.scopes @> array[scope])) as lacked
      from jsonb_to_recordset(${rhythms}::jsonb) as rhythm(history text, scopes text[])
    )
    insert into history_turns as t (character_id, history, due_on)
    select ${characterId}, history, ${now} from rhythms
    on conflict (character_id, history) do update
      set due_on = least(t.due_on, excluded.due_on), failures = 0
      where t.failures > 0 or t.history in (select history from rhythms where lacked)`.execute(db);
}

/**
 * The start of the character's next interval. The offset is derived from its id, so that all characters are spread
 * evenly, and a late turn does not delay later ones.
 */
function nextInterval(now: Date, seconds: number): RawBuilder<Date> {
  const phase = sql`t.character_id % ${seconds}::bigint`;
  return sql`to_timestamp((floor((extract(epoch from ${now}::timestamptz) - ${phase}) / ${seconds}) + 1)
    * ${seconds} + ${phase})`;
}

/** SQL that completes the turn `t`, unless another worker has taken it over; part of a larger statement. */
export function endOfTurn({ rhythm, characterId, until }: Turn, now: Date): RawBuilder<unknown> {
  return sql`update history_turns t set due_on = ${nextInterval(now, rhythm.seconds)}, failures = 0
    where t.character_id = ${characterId} and t.history = ${rhythm.history} and t.due_on = ${until}`;
}

export async function endTurn(db: Kysely<Database>, turn: Turn, now: Date): Promise<void> {
  await endOfTurn(turn, now).execute(db);
}

/** Makes the turns due now that would be due after `latest`. */
export async function makeDue(
  db: Kysely<Database>,
  history: HistoryName,
  { now, latest }: { readonly now: Date; readonly latest: Date },
): Promise<void> {
  await db
    .updateTable('history_turns')
    .set({ due_on: now })
    .where('history', '=', history)
    .where('due_on', '>', latest)
    .execute();
}

export async function countDue(db: Kysely<Database>, history: HistoryName, now: Date): Promise<number> {
  const { count } = await db
    .selectFrom('history_turns')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('history', '=', history)
    .where('due_on', '<=', now)
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * Leases some of the characters that were due at `due`, longest due first. A character without the scope or a usable
 * refresh token is postponed to its next interval.
 */
export async function takeTurns(
  db: Kysely<Database>,
  rhythm: Rhythm,
  {
    due,
    now,
    until,
    most,
  }: { readonly due: Date; readonly now: Date; readonly until: Date; readonly most: number },
): Promise<{ readonly turns: readonly Turn[]; readonly passed: number }> {
  const { history, seconds, scopes } = rhythm;
  const { rows } = await sql<{ character_id: number; failures: number; granted: boolean }>`
    with due as materialized (
      select character_id, due_on from history_turns
      where history = ${history} and due_on <= ${due}
      order by due_on, character_id limit ${most}
      for update skip locked
    ), judged as materialized (
      select character_id, due_on as waited_since, not exists (
        select from unnest(${[...scopes]}::text[]) scope
        where not exists (
          select from standing_grants g
          where g.character_id = due.character_id and g.usable and g.scopes @> array[scope])) as granted
      from due
    ), taken as (
      update history_turns t
      set due_on = case when granted then ${until} else ${nextInterval(now, seconds)} end
      from judged where t.character_id = judged.character_id and t.history = ${history}
      returning t.character_id, failures, granted, waited_since
    )
    select character_id, failures, granted from taken order by waited_since, character_id`.execute(db);
  const turns = rows
    .filter(({ granted }) => granted)
    .map(({ character_id, failures }) => ({ rhythm, characterId: character_id, until, failures }));
  return { turns, passed: rows.length - turns.length };
}

/** Postpones a failed turn until `until`. */
export async function putOff(db: Kysely<Database>, turn: Turn, until: Date): Promise<void> {
  await db
    .updateTable('history_turns')
    .set({ due_on: until, failures: Math.min(turn.failures + 1, 1000) })
    .where('character_id', '=', turn.characterId)
    .where('history', '=', turn.rhythm.history)
    .where('due_on', '=', turn.until)
    .execute();
}

/** Releases turns that were leased but not begun. */
export async function giveBack(db: Kysely<Database>, turns: readonly Turn[], now: Date): Promise<void> {
  const [first] = turns;
  if (first === undefined) return;
  await db
    .updateTable('history_turns')
    .set({ due_on: now })
    .where('character_id', '=', sql<number>`any(${turns.map((turn) => turn.characterId)}::bigint[])`)
    .where('history', '=', first.rhythm.history)
    .where('due_on', '=', first.until)
    .execute();
}
