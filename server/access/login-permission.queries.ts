import { type RawBuilder, sql } from 'kysely';
import { isAdministrator, isBuiltIn, isMember } from './clearance-levels.queries.ts';
import { broughtBy } from './coalition-reach.queries.ts';

/**
 * The setting `authorized_to_login` of a group or coalition that applies to a user, and through which membership it
 * applies.
 */
export interface LoginVote {
  readonly kind: 'group' | 'coalition';
  readonly id: string;
  readonly name: string;
  /** True allows the login, false forbids it. */
  readonly allows: boolean;
  /** Null when the user itself is a member of the group. */
  readonly via: 'corporation' | 'alliance' | 'coalition' | null;
}

type Selected = (via: RawBuilder<unknown>) => RawBuilder<unknown>;

/**
 * All votes on the user in row `u` (D27): of its hand-made groups and the voice autogroup, of the coalitions of its
 * corporation, and of the autogroups of these organizations. For a guest the organizations are those of its host, a
 * hand-made group counts only when it votes no, and the voice autogroup, of which it is no member, not at all (D18b).
 * The caller passes the columns to select of a group `g` and of a coalition `co`.
 */
function votes(ofGroup: Selected, ofCoalition: Selected): RawBuilder<unknown> {
  return sql`
    select ${ofGroup(sql`null`)} from group_members m join groups g using (group_id)
      where m.character_id = u.character_id
        and (${isMember} or not g.is_voice and not g.authorized_to_login)
    union all
    select ${ofCoalition(broughtBy)} from coalition_reach r join coalitions co using (coalition_id)
      where r.corporation_id = u.corporation_id
    union all
    select ${ofGroup(sql`'coalition'`)} from coalition_reach r join groups g using (coalition_id)
      where r.corporation_id = u.corporation_id
    union all
    select ${ofGroup(sql`'corporation'`)} from groups g where g.corporation_id = u.corporation_id
    union all
    select ${ofGroup(sql`'alliance'`)} from corporations c join groups g using (alliance_id)
      where c.corporation_id = u.corporation_id`;
}

const settings = votes(
  () => sql`g.authorized_to_login as allows`,
  () => sql`co.authorized_to_login`,
);
const namedSettings = votes(
  (via) =>
    sql`g.authorized_to_login as allows, 'group' as kind, g.group_id::text as id, g.group_name as name, ${via} as via`,
  (via) => sql`co.authorized_to_login, 'coalition', co.coalition_id::text, co.coalition_name, ${via}`,
);

/**
 * Whether the user in row `u` may log in (D27): the built-in user always; others when at least one vote is yes and
 * none is no, and a no does not apply to levels 9 and 10. It is an SQL expression, evaluated within the statement
 * that uses it, so that a change of the registry counts at once (D27b). The aggregates ignore nulls, which stand for
 * groups without a setting.
 */
export const mayLogIn: RawBuilder<boolean> = sql`(${isBuiltIn} or coalesce((
  select bool_or(allows) and (${isAdministrator} or bool_and(allows)) from (${settings}
  ) votes), false))`;

/**
 * The votes that {@link mayLogIn} is derived from, for explanations: all that are yes or no to the user in row `u`.
 */
export const loginVotes: RawBuilder<readonly LoginVote[]> = sql`(
  select coalesce(json_agg(votes order by kind, name, id), '[]') from (${namedSettings}
  ) votes where allows is not null)`;

/**
 * Whether the tokens of the user in row `u` may be used, evaluated at every request (D27b). Always true for levels 9
 * and 10, so that a mistake with a group cannot lock out those who could correct it; the votes are then not even
 * evaluated.
 */
export const mayUseTokens: RawBuilder<boolean> = sql`(${isAdministrator} or ${mayLogIn})`;
