/** Policies of groups: who may join, who decides, and who must leave. */
import { z } from 'zod';
import { MAX_LEVEL } from './access.ts';
import { component, field, Id, IdInBody, ObjectId, ObjectIdInUrl } from './common.ts';
import { GroupShort } from './group-short.ts';
import { atMostBytes, text } from './text.ts';

/** Maximum number of organizations, groups or moderators of each kind in a policy. */
const MOST = 100;
/** Maximum bytes of UTF-8 in all questions, because each application shows them. */
const MOST_BYTES = 4096;
const ids = z.array(IdInBody).max(MOST);
const objectIds = z.array(ObjectIdInUrl).max(MOST);

const JOINING = z.enum(['closed', 'application', 'open']);
const VISIBLE_TO = z.enum(['everyone', 'eligible', 'members']);
const REACH = z.enum(['character', 'person']);

const WORDS = {
  joining: 'closed: the owner adds members; application: somebody decides; open: eligible users may join.',
  visible_to: 'Who may see the policy, and finds the group among those to join.',
  eligible: 'Who may be a member. The owner always may.',
  organizations: 'Members of one of these alliances, corporations and coalitions, where any is named.',
  groups_any: 'Members of at least one of these groups, where any is named.',
  groups_none: 'Members of none of these groups.',
  min_level: 'Of at least this clearance level.',
  moderators: 'Who decides applications, besides the owner and level 9.',
  moderator_users: 'Ids of characters.',
  moderator_groups: 'Ids of groups whose members decide, too.',
  reach:
    "character: each character must be eligible itself; person: a character is eligible if one character of its person meets all conditions, and none of the person's characters is in an excluded group. Level 9 is needed to set or change a policy with `person`. The owner of a hand-made group that it names in `groups_any` or `groups_none` can find out whose alt somebody is, by adding characters.",
  grace_hours:
    'Hours for which a member stays after ceasing to be eligible. Who was added by hand and never was eligible stays.',
  reapply_hours: 'Hours after a rejection before the next application.',
  questions: `What applicants are asked, at most ${MOST_BYTES} bytes of UTF-8 in all.`,
  expire_days: 'Days after which an undecided application ends.',
} as const;

const HOURS = 8760;
const hours = z.number().int().min(0).max(HOURS);
const days = z.number().int().min(1).max(365);
export const Questions = z.array(text(1, 500)).max(20);

export const GroupPolicy = component(
  z.object({
    joining: field(JOINING, WORDS.joining),
    visible_to: field(VISIBLE_TO, WORDS.visible_to),
    eligible: field(
      z.object({
        alliances: field(z.array(Id), WORDS.organizations),
        corporations: field(z.array(Id), WORDS.organizations),
        coalitions: field(z.array(ObjectId), WORDS.organizations),
        groups_any: field(z.array(ObjectId), WORDS.groups_any),
        groups_none: field(z.array(ObjectId), WORDS.groups_none),
        min_level: field(z.number().int(), WORDS.min_level),
      }),
      WORDS.eligible,
    ),
    moderators: field(
      z.object({
        users: field(z.array(Id), WORDS.moderator_users),
        groups: field(z.array(ObjectId), WORDS.moderator_groups),
      }),
      WORDS.moderators,
    ),
    reach: field(REACH, WORDS.reach),
    grace_hours: field(z.number().int(), WORDS.grace_hours),
    reapply_hours: field(z.number().int(), WORDS.reapply_hours),
    questions: field(z.array(z.string()), WORDS.questions),
    expire_days: field(z.number().int(), WORDS.expire_days),
  }),
  'GroupPolicy',
  'Who may join a group, who decides about it, and who must leave.',
  {
    joining: 'application',
    visible_to: 'everyone',
    eligible: {
      alliances: [99000001],
      corporations: [],
      coalitions: [],
      groups_any: [],
      groups_none: [],
      min_level: 0,
    },
    moderators: { users: [2112000001], groups: [] },
    reach: 'character',
    grace_hours: 24,
    reapply_hours: 24,
    questions: ['Since when do you fly?'],
    expire_days: 30,
  },
);
export type GroupPolicy = z.infer<typeof GroupPolicy>;

export const PutGroupPolicy = component(
  z
    .object({
      joining: field(JOINING.nullish(), WORDS.joining),
      visible_to: field(VISIBLE_TO.nullish(), WORDS.visible_to),
      eligible: field(
        z
          .object({
            alliances: field(ids.nullish(), WORDS.organizations),
            corporations: field(ids.nullish(), WORDS.organizations),
            coalitions: field(objectIds.nullish(), WORDS.organizations),
            groups_any: field(objectIds.nullish(), WORDS.groups_any),
            groups_none: field(objectIds.nullish(), WORDS.groups_none),
            min_level: field(z.number().int().min(0).max(MAX_LEVEL).nullish(), WORDS.min_level),
          })
          .strict()
          .nullish(),
        `${WORDS.eligible} Replaces the former conditions as a whole.`,
      ),
      moderators: field(
        z
          .object({
            users: field(ids.nullish(), WORDS.moderator_users),
            groups: field(objectIds.nullish(), WORDS.moderator_groups),
          })
          .strict()
          .nullish(),
        `${WORDS.moderators} Replaces the former ones as a whole.`,
      ),
      reach: field(REACH.nullish(), WORDS.reach),
      grace_hours: field(hours.nullish(), WORDS.grace_hours),
      reapply_hours: field(hours.nullish(), WORDS.reapply_hours),
      questions: field(Questions.nullish(), WORDS.questions),
      expire_days: field(days.nullish(), WORDS.expire_days),
    })
    .strict()
    .superRefine(
      atMostBytes(MOST_BYTES, ({ questions: asked }: { questions?: string[] | null }) => asked ?? []),
    ),
  'PutGroupPolicy',
  'The fields of a policy to change; null means the same as leaving a field out.',
  { joining: 'application', eligible: { alliances: [99000001] }, moderators: { users: [2112000001] } },
);
export type PutGroupPolicy = z.infer<typeof PutGroupPolicy>;

export const JoinableGroup = component(
  z.object({
    group: field(GroupShort, 'The group.'),
    joining: field(JOINING, WORDS.joining),
    may_join: field(z.boolean(), 'Whether the caller could join, or apply, now.'),
    why: field(z.string(), 'Why, or why not, for people.'),
    questions: field(z.array(z.string()), WORDS.questions),
    application_id: field(ObjectId.nullable(), "The caller's pending application, if any."),
  }),
  'JoinableGroup',
  'A group that can be joined, and whether the caller can join it.',
  {
    group: { group_id: '66f2a1b3c4d5e6f708192a3c', group_name: 'Scouts' },
    joining: 'application',
    may_join: true,
    why: 'You may apply.',
    questions: ['Since when do you fly?'],
    application_id: null,
  },
);
export type JoinableGroup = z.infer<typeof JoinableGroup>;
