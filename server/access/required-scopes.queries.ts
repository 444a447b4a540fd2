import { type RawBuilder, sql } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import { broughtBy } from './coalition-reach.queries.ts';

/** A corporation, alliance or coalition, and the scopes that it requires of its members. */
export interface Requirement {
  readonly type: 'corporation' | 'alliance' | 'coalition';
  readonly id: string;
  readonly name: string;
  /** The user's organization that is a member; null of its own corporation. */
  readonly via: 'corporation' | 'alliance' | null;
  readonly scopes: readonly ExtScope[];
}

/** The scopes required by the corporation `c`, its alliance `a` (left-joined) and every coalition of either. */
const required = sql`
  select 'corporation' as type, c.corporation_id::text as id, c.corporation_name as name,
    null as via, c.mandatory_ext_scopes as scopes
  union all
  select 'alliance', a.alliance_id::text, a.alliance_name, 'corporation', a.mandatory_ext_scopes
  union all
  select 'coalition', co.coalition_id::text, co.coalition_name, ${broughtBy}, co.mandatory_ext_scopes
    from coalition_reach r join coalitions co using (coalition_id) where r.corporation_id = c.corporation_id`;

/** The union of these scopes, sorted (D38). An SQL expression for queries with the aliases `c` and `a`. */
export const scopesOfCorporation: RawBuilder<ExtScope[]> = sql`array(
  select distinct s collate "C" from (${required}) required, unnest(scopes) s order by 1)`;

/** The organizations that require scopes of the corporation's members, each with its scopes. */
export const requirementsOfCorporation: RawBuilder<readonly Requirement[]> = sql`(
  select coalesce(json_agg(required), '[]') from (${required}) required where cardinality(scopes) > 0)`;

/** The union of the scopes required by the alliance `a` and its coalitions, sorted. */
export const scopesOfAlliance: RawBuilder<ExtScope[]> = sql`array(
  select s collate "C" from (
    select unnest(a.mandatory_ext_scopes) as s
    union select unnest(co.mandatory_ext_scopes)
      from coalition_alliances ca join coalitions co using (coalition_id) where ca.alliance_id = a.alliance_id
  ) scopes order by 1)`;

/**
 * SQL aggregate over the grants `g`: whether a valid one covers the required scopes (D35); null where there is no
 * grant.
 */
export function coverage(required: RawBuilder<ExtScope[]>): RawBuilder<boolean | null> {
  return sql`bool_or(g.valid and g.scopes @> ${required})`;
}
