/** Groups of users. */
import { z } from 'zod';
import { ADMINISTRATOR_LEVEL, level } from './access.ts';
import {
  c,
  component,
  DateTime,
  DryRun,
  errors,
  field,
  fullListAlone,
  LongText,
  MAX_LIST,
  Name,
  ObjectId,
  ObjectIdInUrl,
} from './common.ts';
import { UserShort } from './user.ts';

export const GroupShort = component(
  z.object({ group_id: ObjectId, group_name: z.string() }),
  'GroupShort',
  'A group by id and name.',
  { group_id: '66f2a1b3c4d5e6f708192a3c', group_name: 'Scouts' },
);
export type GroupShort = z.infer<typeof GroupShort>;

export const Group = component(
  z.object({
    authorized_to_login: field(
      z.boolean().nullable(),
      'true lets members in, false keeps them out whatever other groups say, null says nothing.',
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
    owner: field(UserShort.nullable(), 'Null where the owner was deleted or there never was one.'),
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
      members: field(Names, 'Names of existing users; replaces all members and stands alone.'),
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
      'Applied in this order: add_members, authorized_to_login, description, members, owner, remove_members. Additions and removals may be combined; the full list stands alone. Afterwards the owner is a member. Users must exist already: an unknown name is a 404. Members and owner of an autogroup cannot be edited: 409.',
    pathParams: byId,
    query: DryRun,
    body: PutGroup.default({}),
    responses: { 200: field(Group, 'The group as it is now.'), ...errors(404, 409, 413, 415) },
    metadata: {
      operationId: 'updateGroup',
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
    responses: { 200: c.noBody(), ...errors(404, 409) },
    metadata: { operationId: 'deleteGroup', previews: true, ...level(9) },
  },
});
