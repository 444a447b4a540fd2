import { type RawBuilder, sql } from 'kysely';
import { isAdministrator, isBuiltIn, isMember } from './levels.queries.ts';

/** A group or coalition that says who may log in: what it says, and by which body of the user's it reaches the user. */
export interface Voice {
  readonly kind: 'group' | 'coalition';
  readonly id: string;
  readonly name: string;
  /** True lets the user in, false keeps it out. */
  readonly voice: boolean;
  /** Null: the user itself was put into the group. */
  readonly via: 'corporation' | 'alliance' | 'coalition' | null;
}

type Selected = (via: RawBuilder<unknown>) => RawBuilder<unknown>;

/**
 * Every voice about the user of the row `u` (D27): of groups it was put into, of coalitions reached by its
 * corporation, and of the autogroups of all these organizations. For a guest they are those of its host, and a group it was
 * put into can only shut it out. What is selected of a group `g` and of a coalition `co` is up to who asks.
 */
function voices(ofGroup: Selected, ofCoalition: Selected): RawBuilder<unknown> {
  return sql`
    select ${ofGroup(sql`null`)} from group_members m join groups g using (group_id)
      where m.character_id = u.character_id and (${isMember} or not g.authorized_to_login)
    union all
    select ${ofCoalition(sql`'corporation'`)} from coalition_reach r join coalitions co using (coalition_id)
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

const said = voices(
  () => sql`g.authorized_to_login as voice`,
  () => sql`co.authorized_to_login`,
);
const saidBy = voices(
  (via) =>
    sql`g.authorized_to_login as voice, 'group' as kind, g.group_id::text as id, g.group_name as name, ${via} as via`,
  (via) => sql`co.authorized_to_login, 'coalition', co.coalition_id::text, co.coalition_name, ${via}`,
);

/**
 * May the user of the row `u` log in? (D27) The built-in user; otherwise at least one voice says yes and none
 * says no, and a no never binds levels 9 and 10. An expression, so that it is judged in the statement that asks and
 * follows the registry at once (D27b). Aggregates skip the null of those that have no say.
 */
export const mayLogIn: RawBuilder<boolean> = sql`(${isBuiltIn} or coalesce((
  select bool_or(voice) and (${isAdministrator} or bool_and(voice)) from (${said}
  ) voices), false))`;

/** What {@link mayLogIn} is made of: every voice that says yes or no to the user of the row `u`. */
export const loginVoices: RawBuilder<readonly Voice[]> = sql`(
  select coalesce(json_agg(voices order by kind, name, id), '[]') from (${saidBy}
  ) voices where voice is not null)`;

/**
 * May the tokens of the user of the row `u` be used? (D27b) Asked at every request. Levels 9 and 10 always may, so that
 * no mistake with a group locks out those who could mend it; then the voices are not even asked.
 */
export const mayUseTokens: RawBuilder<boolean> = sql`(${isAdministrator} or ${mayLogIn})`;
