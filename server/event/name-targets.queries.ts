import { type Kysely, sql } from 'kysely';
import type { Target } from '../../contract/event.ts';
import type { Database } from '../database/tables.ts';

/** The names of these targets by `type:id`, as far as there are any. */
export async function findNames(
  db: Kysely<Database>,
  targets: readonly Pick<Target, 'type' | 'id'>[],
): Promise<ReadonlyMap<string, string>> {
  const idsOf = (wanted: Target['type']) => targets.flatMap(({ type, id }) => (type === wanted ? [id] : []));
  const { rows } = await sql<{ target: string; name: string }>`
    select 'user:' || character_id as target, character_name as name from users
      where character_id = any(${idsOf('user')}::bigint[])
    union all select 'corporation:' || corporation_id, corporation_name from corporations
      where corporation_id = any(${idsOf('corporation')}::bigint[])
    union all select 'alliance:' || alliance_id, alliance_name from alliances
      where alliance_id = any(${idsOf('alliance')}::bigint[])
    union all select 'coalition:' || coalition_id, coalition_name from coalitions
      where coalition_id = any(${idsOf('coalition')}::text[])
    union all select 'group:' || group_id, group_name from groups
      where group_id = any(${idsOf('group')}::text[])`.execute(db);
  return new Map(rows.map(({ target, name }) => [target, name]));
}
