import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { BodyStanding, Standing } from '../access/distance.ts';
import type { Ranked } from '../access/level-change.ts';
import type { Database } from '../database/tables.ts';

interface StandingRow {
  readonly is_target: boolean;
  readonly character_id: number | null;
  readonly corporation_id: number | null;
  readonly alliance_id: number | null;
  readonly coalitions: readonly string[];
  readonly level: number;
}

export type Target = 'user' | 'corporation' | 'alliance';

const reached = sql`array(select coalition_id::text from coalition_reach r where r.corporation_id = c.corporation_id)`;

const userStanding = (id: number, isTarget: boolean) => sql`
  select ${sql.lit(isTarget)} as is_target, u.character_id, u.corporation_id, c.alliance_id,
    ${reached} as coalitions, u.clearance_level as level
  from users u left join corporations c on c.corporation_id = u.corporation_id where u.character_id = ${id}`;

const corporationStandings = (ids: readonly number[]) => sql`
  select true, null, c.corporation_id, c.alliance_id, ${reached}, 0 from corporations c
  where c.corporation_id = any(${[...ids]}::bigint[])`;

const allianceStandings = (ids: readonly number[]) => sql`
  select true, null, null, a.alliance_id,
    array(select coalition_id::text from coalition_alliances ca where ca.alliance_id = a.alliance_id), 0
  from alliances a where a.alliance_id = any(${[...ids]}::bigint[])`;

const targetStanding: Record<Target, (id: number) => RawBuilder<unknown>> = {
  user: (id) => userStanding(id, true),
  corporation: (id) => corporationStandings([id]),
  alliance: (id) => allianceStandings([id]),
};

/** Where a caller and the record that it touches stand, in one query; no target: there is no such record. */
export async function findStandings(
  db: Kysely<Database>,
  callerId: number,
  over: Target,
  id: number,
): Promise<{ caller: Ranked | undefined; target: Ranked | undefined }> {
  const { rows } = await sql<StandingRow>`
    ${userStanding(callerId, false)} union all ${targetStanding[over](id)}`.execute(db);
  const find = (isTarget: boolean) => {
    const row = rows.find((candidate) => candidate.is_target === isTarget);
    return row && toStanding(row);
  };
  return { caller: find(false), target: find(true) };
}

/** Where a caller and several alliances and corporations stand, in one query. */
export async function findBodyStandings(
  db: Kysely<Database>,
  callerId: number,
  bodies: { readonly alliances: readonly number[]; readonly corporations: readonly number[] },
): Promise<{ caller: Ranked | undefined; bodies: Ranked[] }> {
  const { rows } = await sql<StandingRow>`
    ${userStanding(callerId, false)}
    union all ${allianceStandings(bodies.alliances)}
    union all ${corporationStandings(bodies.corporations)}`.execute(db);
  const caller = rows.find((row) => !row.is_target);
  return {
    caller: caller && toStanding(caller),
    bodies: rows.filter((row) => row.is_target).map(toStanding),
  };
}

function toStanding(row: StandingRow): Ranked {
  return {
    characterId: row.character_id ?? -1,
    corporationId: row.corporation_id,
    allianceId: row.alliance_id,
    coalitionIds: row.coalitions,
    guest: row.level < 0,
    level: row.level,
  } satisfies Standing & BodyStanding & { level: number };
}
