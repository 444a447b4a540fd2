import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import { answersFor } from './account.ts';
import { isGuest } from './clearance-levels.ts';
import type { OrganizationPosition, Position } from './distance.ts';
import type { RankedPosition } from './level-change.ts';

export interface PositionRow {
  readonly role: 'caller' | 'target';
  readonly character_id: number | null;
  readonly corporation_id: number | null;
  readonly alliance_id: number | null;
  readonly coalitions: readonly string[];
  readonly level: number;
}

export type Target = 'user' | 'corporation' | 'alliance' | 'coalition';

/** The owner of a token, and its sponsor where it has one (D23). */
export interface Asker {
  readonly owner_id: number;
  readonly sponsor_id: number | null;
}

const reached = sql`array(select coalition_id::text from coalition_reach r where r.corporation_id = c.corporation_id)`;

/**
 * Memberships of the token's owner, with the lower level of owner and sponsor (D23); no row if one of them was deleted.
 */
export const callerPosition = (asker: Asker) => sql`
  select 'caller' as role, u.character_id, u.corporation_id, c.alliance_id, ${reached} as coalitions,
    least(u.clearance_level, sponsor.clearance_level) as level
  from users u join users sponsor on sponsor.character_id = ${answersFor(asker)}
    left join corporations c on c.corporation_id = u.corporation_id
  where u.character_id = ${asker.owner_id}`;

const positionsOf = (whom: RawBuilder<unknown>) => sql`
  select 'target', u.character_id, u.corporation_id, c.alliance_id, ${reached}, u.clearance_level
  from users u left join corporations c on c.corporation_id = u.corporation_id where ${whom}`;

export const userPosition = (id: number | RawBuilder<number>) => positionsOf(sql`u.character_id = ${id}`);

const corporationPositions = (ids: readonly number[]) => sql`
  select 'target', null, c.corporation_id, c.alliance_id, ${reached}, 0 from corporations c
  where c.corporation_id = any(${[...ids]}::bigint[])`;

const alliancePositions = (ids: readonly number[]) => sql`
  select 'target', null, null, a.alliance_id,
    array(select coalition_id::text from coalition_alliances ca where ca.alliance_id = a.alliance_id), 0
  from alliances a where a.alliance_id = any(${[...ids]}::bigint[])`;

/**
 * A coalition counts as a member of itself: distance 5 to users whose corporation or alliance is a member, 7 to all
 * others (D14).
 */
const coalitionPosition = (id: string) => sql`
  select 'target', null, null, null, array[co.coalition_id::text], 0 from coalitions co where co.coalition_id = ${id}`;

const targetPosition: Record<Target, (id: number | string) => RawBuilder<unknown>> = {
  user: (id) => userPosition(Number(id)),
  corporation: (id) => corporationPositions([Number(id)]),
  alliance: (id) => alliancePositions([Number(id)]),
  coalition: (id) => coalitionPosition(String(id)),
};

/**
 * The positions of the caller and of the record in the path, in one query; without a target there is no such record.
 */
export async function findPositions(
  db: Kysely<Database>,
  asker: Asker,
  over: Target,
  id: number | string,
): Promise<{ caller: RankedPosition | undefined; target: RankedPosition | undefined }> {
  const { rows } = await sql<PositionRow>`
    ${callerPosition(asker)} union all ${targetPosition[over](id)}`.execute(db);
  const find = (role: PositionRow['role']) => {
    const row = rows.find((candidate) => candidate.role === role);
    return row && toPosition(row);
  };
  return { caller: find('caller'), target: find('target') };
}

/** Ids of alliances and of corporations. */
export interface Organizations {
  readonly alliances: readonly number[];
  readonly corporations: readonly number[];
}

interface Positions {
  readonly caller: RankedPosition | undefined;
  readonly targets: RankedPosition[];
}

/** The positions of the caller and of several alliances and corporations, in one query. */
export function findOrganizationPositions(
  db: Kysely<Database>,
  asker: Asker,
  organizations: Organizations,
): Promise<Positions> {
  const { alliances, corporations } = organizations;
  return findAll(
    db,
    asker,
    sql`${alliancePositions(alliances)} union all ${corporationPositions(corporations)}`,
  );
}

/** The positions of the caller and of several users, in one query. */
export function findUserPositions(
  db: Kysely<Database>,
  asker: Asker,
  ids: readonly number[],
): Promise<Positions> {
  return findAll(db, asker, positionsOf(sql`u.character_id = any(${[...ids]}::bigint[])`));
}

async function findAll(db: Kysely<Database>, asker: Asker, targets: RawBuilder<unknown>): Promise<Positions> {
  const { rows } = await sql<PositionRow>`${callerPosition(asker)} union all ${targets}`.execute(db);
  const caller = rows.find((row) => row.role === 'caller');
  return {
    caller: caller && toPosition(caller),
    targets: rows.filter(({ role }) => role === 'target').map(toPosition),
  };
}

export function toPosition(row: PositionRow): RankedPosition {
  return {
    characterId: row.character_id ?? -1,
    corporationId: row.corporation_id,
    allianceId: row.alliance_id,
    coalitionIds: row.coalitions,
    guest: isGuest(row.level),
    level: row.level,
  } satisfies Position & OrganizationPosition & { level: number };
}
