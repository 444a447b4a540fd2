import { type RawBuilder, sql } from 'kysely';
import { isAdministrator, isMember, memberLevel } from '../access/clearance-levels.queries.ts';
import { groupsOf } from '../access/groups-of.queries.ts';
import { isChanged } from '../person/person.queries.ts';

/** The conditions of the policy `p` for the user `u` of the corporation `c` (left-joined) (D110). */
const own = {
  level: sql<boolean>`u.clearance_level >= p.min_level`,
  organizations: sql<boolean>`(cardinality(p.alliances) + cardinality(p.corporations) + cardinality(p.coalitions) = 0
    or coalesce(c.alliance_id = any(p.alliances), false)
    or coalesce(c.corporation_id = any(p.corporations), false)
    or exists (select from coalition_reach r
      where r.corporation_id = c.corporation_id and r.coalition_id = any(p.coalitions)))`,
  groups_any: sql<boolean>`(cardinality(p.groups_any) = 0
    or exists (select from (${groupsOf}) own where own.group_id = any(p.groups_any)))`,
  groups_none: sql<boolean>`(cardinality(p.groups_none) = 0
    or not exists (select from (${groupsOf}) own where own.group_id = any(p.groups_none)))`,
} as const satisfies Readonly<Record<string, RawBuilder<boolean>>>;

/**
 * Whether the user meets a condition or, if the policy's reach is `person`, any character of its person does. A
 * character that has another owner by now does not count (D100).
 */
function ofPerson(condition: RawBuilder<boolean>): RawBuilder<boolean> {
  return sql`(${condition} or p.reach = 'person' and exists (
    select from (
      select alt.character_id from person_characters self join person_characters alt using (person_id)
      where self.character_id = u.character_id and alt.character_id <> u.character_id
    ) others join users u using (character_id) left join corporations c using (corporation_id)
    where not ${isChanged} and ${condition}))`;
}

const { groups_none: barred, ...asked } = own;

/** Whether a member meets the condition: guests among the characters of a person do not count for the others. */
const lent = (condition: RawBuilder<boolean>) => ofPerson(sql`(${isMember} and ${condition})`);

/** Each condition by the policy's reach, so that an answer can name the one that is not met. Guests meet none. */
export const conditions = {
  member: isMember,
  level: lent(own.level),
  organizations: lent(own.organizations),
  groups_any: lent(own.groups_any),
  groups_none: sql<boolean>`not (${ofPerson(sql`not ${barred}`)})`,
} as const satisfies Readonly<Record<string, RawBuilder<boolean>>>;

/**
 * Whether the policy allows the user to be a member: a single character must meet all conditions, and none of the
 * person's characters may be in a group of `groups_none` (D110).
 */
export const isEligible: RawBuilder<boolean> = sql`(${conditions.member}
  and (${lent(sql.join(Object.values(asked), sql` and `))}) and ${conditions.groups_none})`;

/**
 * Of a user who is not eligible: whether the members of hand-made groups alone can be why. People change these by hand;
 * no answer of the provider does.
 */
export const barredByHand: RawBuilder<boolean> = sql`(p.reach = 'character' and ${isMember} and ${own.level}
  and ${own.organizations}
  and (${own.groups_any} or exists (
    select from groups h where h.group_id = any(p.groups_any) and not h.is_autogroup))
  and not exists (
    select from (${groupsOf}) mine where mine.group_id = any(p.groups_none) and mine.is_autogroup))`;

/** Whether the policy `p` has any condition: one without conditions removes nobody, not even guests. */
export const asksSomething: RawBuilder<boolean> = sql`(p.min_level > ${memberLevel}
  or cardinality(p.alliances) + cardinality(p.corporations) + cardinality(p.coalitions)
    + cardinality(p.groups_any) + cardinality(p.groups_none) > 0)`;

/**
 * Whether the policy `p` is in force for its group `g`: if the group sets `authorized_to_login`, or the policy's reach
 * is `person`, level 9 must have set the policy.
 */
export const counts: RawBuilder<boolean> = sql`(
  g.authorized_to_login is null and p.reach = 'character' or p.by_administrator)`;

/** Like {@link isEligible}, for groups without a policy in force, too: then everybody but guests is eligible. */
export const isEligibleAtAll: RawBuilder<boolean> = sql`(
  case when p.group_id is null or not ${counts} then ${isMember} else ${isEligible} end)`;

/** Whether the user `u` decides applications to the group `g` with the policy `p` (left-joined), or owns it. */
export const moderates: RawBuilder<boolean> = sql`(${isAdministrator}
  or coalesce(g.owner_id = u.character_id, false)
  or ${isMember} and p.group_id is not null and (
    exists (select from group_moderators d where d.group_id = p.group_id and d.character_id = u.character_id)
    or cardinality(p.moderator_groups) > 0
      and exists (select from (${groupsOf}) own where own.group_id = any(p.moderator_groups))))`;

const isInGroup = sql<boolean>`exists (select from group_members i
  where i.group_id = g.group_id and i.character_id = u.character_id)`;

/** Whether somebody with these relations to the group may see its policy `p`. */
const seen = (is: Readonly<Record<'is_member' | 'moderates' | 'eligible', RawBuilder<boolean>>>) =>
  sql<boolean>`(p.visible_to = 'everyone' or ${is.is_member} or ${is.moderates}
    or p.visible_to = 'eligible' and ${is.eligible})`;

/** Whether the user `u` may see the policy `p` of the group `g`. */
export const maySee = seen({ is_member: isInGroup, moderates, eligible: isEligible });

/** The same, where the relations are the columns of a row `r`. */
export const maySeeByColumns = seen({
  is_member: sql`r.is_member`,
  moderates: sql`r.moderates`,
  eligible: sql`r.eligible`,
});

export const isGroupMember = isInGroup;

/** Whether a condition of the user `u` in the corporation `c` is met by this user instead. */
export function holdsFor(characterId: number, condition: RawBuilder<boolean>): RawBuilder<boolean> {
  return sql`exists (select from users u left join corporations c using (corporation_id)
    where u.character_id = ${characterId} and ${condition})`;
}
