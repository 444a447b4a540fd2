/** Groups of users. */
import { z } from 'zod';
import { ADMINISTRATOR_LEVEL, level } from './access.ts';
import {
  Application,
  ApplicationPage,
  MOST_A_DAY,
  MOST_PENDING,
  PostApplication,
  StateInQuery,
} from './application.ts';
import {
  c,
  component,
  DateTime,
  DryRun,
  field,
  fullListAlone,
  MAX_LIST,
  ObjectId,
  ObjectIdInUrl,
} from './common.ts';
import { errors } from './error-body.ts';
import { GroupShort } from './group-short.ts';
import { NEXT_PAGE } from './paging.ts';
import { GroupPolicy, JoinableGroup, PutGroupPolicy } from './policy.ts';
import { LongText, Name } from './text.ts';
import { UserShort } from './user.ts';

export const Group = component(
  z.object({
    authorized_to_login: field(
      z.boolean().nullable(),
      'true: members may log in. false: members may not log in, whatever other groups say. null: no effect.',
    ),
    created_on: DateTime,
    description: z.string(),
    group_id: ObjectId,
    group_name: z.string(),
    is_autogroup: field(
      z.boolean(),
      'Kept by the service itself: it follows the members of a corporation, an alliance or a coalition, or those who proved their voice identity.',
    ),
    members: z.array(UserShort),
    owner: field(
      UserShort.nullable(),
      'Null where the owner was deleted or handed over, or there never was one.',
    ),
    updated_on: DateTime,
  }),
  'Group',
  'A set of users with an owner.',
  {
    authorized_to_login: null,
    created_on: '2026-02-11T20:00:00.000Z',
    description: 'Who goes first.',
    group_id: '66f2a1b3c4d5e6f708192a3c',
    group_name: 'Scouts',
    is_autogroup: false,
    members: [{ character_id: 2112000001, character_name: 'Ada Vale' }],
    owner: { character_id: 2112000001, character_name: 'Ada Vale' },
    updated_on: '2026-03-02T07:05:30.125Z',
  },
);
export type Group = z.infer<typeof Group>;

export const PostGroup = component(
  z
    .object({
      group_name: Name,
      description: field(
        LongText.nullish().transform((description) => description ?? ''),
        'Empty where absent.',
      ),
    })
    .strict(),
  'PostGroup',
  'A new group.',
  { group_name: 'Scouts', description: 'Who goes first.' },
);
export type PostGroup = z.infer<typeof PostGroup>;

const Names = z.array(Name).max(MAX_LIST).nullish();

export const PutGroup = component(
  z
    .object({
      add_members: field(Names, 'Names of existing users to add.'),
      authorized_to_login: field(z.boolean().nullish(), 'Once set, it never returns to null.'),
      description: LongText.nullish(),
      members: field(
        Names,
        'Names of existing users; replaces all members, and cannot be combined with additions or removals.',
      ),
      owner: field(Name.nullish(), 'Name of an existing user, who becomes a member too.'),
      remove_members: field(Names, 'Names of users to remove; the owner stays a member in any case.'),
    })
    .strict()
    .superRefine(fullListAlone('members', 'add_members', 'remove_members')),
  'PutGroup',
  'What to change about a group; null means the same as leaving a field out, an empty list is a list.',
  { add_members: ['Brim Okoro'], description: 'Who goes first, and comes back.' },
);
export type PutGroup = z.infer<typeof PutGroup>;

const byId = z.object({ group_id: field(ObjectIdInUrl, 'Id of the group.', '66f2a1b3c4d5e6f708192a3c') });

export const groupRoutes = c.router({
  list: {
    method: 'GET',
    path: '/group',
    summary: 'List groups',
    description: 'All groups, ordered by name ignoring case, then by id.',
    responses: { 200: field(z.array(GroupShort), 'The groups.'), ...errors() },
    metadata: { positioned: true, operationId: 'listGroups', ...level(0) },
  },
  joinable: {
    method: 'GET',
    path: '/group/joinable',
    summary: 'List the groups that can be joined',
    description:
      'Every group that can be joined or applied to and that the caller may see, each with whether the caller can, and why or why not; ordered by name ignoring case, then by id.',
    responses: { 200: field(z.array(JoinableGroup), 'The groups.'), ...errors() },
    metadata: { positioned: true, operationId: 'listJoinableGroups', ...level(0) },
  },
  get: {
    method: 'GET',
    path: '/group/:group_id',
    summary: 'Get a group',
    description: 'A group with its members.',
    pathParams: byId,
    responses: { 200: field(Group, 'The group.'), ...errors(404) },
    metadata: { positioned: true, operationId: 'getGroup', ...level(0) },
  },
  create: {
    method: 'POST',
    path: '/group',
    summary: 'Create a group',
    description:
      'The caller becomes owner and only member. A name that exists already, compared in NFC ignoring case, is a 409.',
    body: PostGroup,
    responses: { 201: field(Group, 'The new group.'), ...errors(409, 413, 415) },
    metadata: { operationId: 'createGroup', ...level(9) },
  },
  update: {
    method: 'PUT',
    path: '/group/:group_id',
    summary: 'Change a group',
    description:
      'Applied in this order: add_members, authorized_to_login, description, members, owner, remove_members. Additions and removals may be combined; the full list cannot be combined with them. Afterwards the owner is a member. Users must exist already: an unknown name is a 404. Members and owner of an autogroup cannot be edited: 409.',
    pathParams: byId,
    query: DryRun,
    body: PutGroup.default({}),
    responses: { 200: field(Group, 'The group as it is now.'), ...errors(404, 409, 413, 415) },
    metadata: {
      operationId: 'updateGroup',
      codes: ['autogroup_kept'],
      previews: true,
      ...level(0, {
        fields: { authorized_to_login: ADMINISTRATOR_LEVEL },
        besides: 'The caller must own the group or have level 9.',
      }),
    },
  },
  delete: {
    method: 'DELETE',
    path: '/group/:group_id',
    summary: 'Delete a group',
    description: 'An autogroup cannot be deleted: 409.',
    pathParams: byId,
    query: DryRun,
    responses: { 200: c.noBody(), ...errors(404, 409, 413, 415) },
    metadata: { operationId: 'deleteGroup', codes: ['autogroup_kept'], previews: true, ...level(9) },
  },
  policy: {
    method: 'GET',
    path: '/group/:group_id/policy',
    summary: 'Get the policy of a group',
    description:
      'Who may join, who decides, who must leave. A group without a policy is closed, and so is one whose policy is not in force: where authorized_to_login of the group is set, until level 9 has set the policy. Where the caller may not see it, it is a 404.',
    pathParams: byId,
    responses: { 200: field(GroupPolicy, 'The policy.'), ...errors(404) },
    metadata: { positioned: true, operationId: 'getGroupPolicy', ...level(0) },
  },
  setPolicy: {
    method: 'PUT',
    path: '/group/:group_id/policy',
    summary: 'Set the policy of a group',
    description:
      'Members who are no longer eligible, except the owner, are removed after the grace period; pending applications of ineligible users end. What is left out stays as it is shown: a policy that is not in force stays closed. Autogroups have no policy: 409. Organizations, groups and users in the policy must exist: 404.',
    pathParams: byId,
    query: DryRun,
    body: PutGroupPolicy.default({}),
    responses: { 200: field(GroupPolicy, 'The policy as it is now.'), ...errors(404, 409, 413, 415) },
    metadata: {
      operationId: 'setGroupPolicy',
      codes: ['autogroup_kept'],
      previews: true,
      ...level(0, {
        besides:
          'The caller must own the group or have level 9; level 9 alone where authorized_to_login of the group is set, or the policy reaches persons, before or after.',
      }),
    },
  },
  apply: {
    method: 'POST',
    path: '/group/:group_id/application',
    summary: 'Join a group, or apply to it',
    description: `Where joining is open, the caller is a member at once, and the application approved. A 409 says why not: joining is closed (as far as the caller may see the policy), the caller is not eligible, a member already, has a pending application, or was rejected recently. One user may have ${MOST_PENDING} pending applications, and make ${MOST_A_DAY} within 24 hours, joining open groups included: more are a 409.`,
    pathParams: byId,
    body: PostApplication.default({}),
    responses: { 200: field(Application, 'The application.'), ...errors(404, 409, 413, 415) },
    metadata: {
      operationId: 'applyToGroup',
      codes: [
        'forbidden_to_all',
        'joining_closed',
        'not_eligible',
        'questions_changed',
        'already_member',
        'application_pending',
        'reapply_later',
        'too_many_applications',
      ],
      ...level(0),
    },
  },
  applications: {
    method: 'GET',
    path: '/group/:group_id/application',
    summary: 'List the applications to a group',
    description: `The newest first. ${NEXT_PAGE}`,
    pathParams: byId,
    query: z.object({ state: StateInQuery, ...ApplicationPage }),
    responses: { 200: field(z.array(Application), 'The applications.'), ...errors(404) },
    metadata: {
      positioned: true,
      operationId: 'listGroupApplications',
      ...level(0, { besides: 'The caller must moderate the group, own it, or have level 9.' }),
    },
  },
  leave: {
    method: 'DELETE',
    path: '/group/:group_id/member/current',
    summary: 'Leave a group',
    description:
      'The owner cannot leave, nor can members of an autogroup, nor of a group that the policy of another one names in groups_none, if level 9 set that policy or both groups have one owner: 409. If the caller is not a member: 404.',
    pathParams: byId,
    responses: { 200: c.noBody(), ...errors(404, 409, 413, 415) },
    metadata: {
      operationId: 'leaveGroup',
      codes: ['autogroup_kept', 'owner_stays', 'member_stays'],
      ...level(0),
    },
  },
});
