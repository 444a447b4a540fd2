import { type RawBuilder, sql } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';

/** A body that requires scopes of a user. */
export interface Requirement {
  readonly type: 'corporation' | 'alliance' | 'coalition';
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly ExtScope[];
}

/** What the corporation `c`, its alliance `a` (left-joined) and every coalition reached through either require. */
const required = sql`
  select 'corporation' as type, c.corporation_id::text as id, c.corporation_name as name,
    c.mandatory_ext_scopes as scopes
  union all
  select 'alliance', a.alliance_id::text, a.alliance_name, a.mandatory_ext_scopes
  union all
  select 'coalition', co.coalition_id::text, co.coalition_name, co.mandatory_ext_scopes
    from coalition_reach r join coalitions co using (coalition_id) where r.corporation_id = c.corporation_id`;

/**
 * All of it together, sorted, each scope once (D38). An expression for the select list of a query with these two names.
 */
export const scopesOfCorporation: RawBuilder<ExtScope[]> = sql`array(
  select distinct s collate "C" from (${required}) required, unnest(scopes) s order by 1)`;

/** Who requires what of it, but for who requires nothing. */
export const requirementsOfCorporation: RawBuilder<readonly Requirement[]> = sql`(
  select coalesce(json_agg(required), '[]') from (${required}) required where cardinality(scopes) > 0)`;

/** What the alliance `a` and its coalitions require, sorted, each scope once. */
export const scopesOfAlliance: RawBuilder<ExtScope[]> = sql`array(
  select s collate "C" from (
    select unnest(a.mandatory_ext_scopes) as s
    union select unnest(co.mandatory_ext_scopes)
      from coalition_alliances ca join coalitions co using (coalition_id) where ca.alliance_id = a.alliance_id
  ) scopes order by 1)`;

/**
 * Whether a valid grant among the rows `g` covers what is required (D35); null where there is no grant at all. An
 * aggregate.
 */
export function coverage(required: RawBuilder<ExtScope[]>): RawBuilder<boolean | null> {
  return sql`bool_or(g.valid and g.scopes @> ${required})`;
}
