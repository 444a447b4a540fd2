/** Users: the game characters that this instance knows. */
import { z } from 'zod';
import { GUEST_LEVEL, level, MAX_LEVEL } from './access.ts';
import {
  c,
  component,
  DateTime,
  DryRun,
  field,
  Id,
  IdInUrl,
  IdOrBuiltInInUrl,
  ObjectId,
  ObjectIdInUrl,
  wholeNumberInQuery,
} from './common.ts';
import { errors } from './error-body.ts';
import { AfterInQuery, LimitInQuery, NEXT_PAGE } from './paging.ts';
import { ExtScope } from './scopes.ts';
import { Name } from './text.ts';
import { AboutInQuery, Why } from './why.ts';

export const UserShort = component(
  z.object({
    character_id: field(Id, 'Id of the character; 0 is the built-in user.'),
    character_name: z.string(),
  }),
  'UserShort',
  'A user by id and name.',
  { character_id: 2112000001, character_name: 'Ada Vale' },
);
export type UserShort = z.infer<typeof UserShort>;

export const User = component(
  z.object({
    alliance: field(Id.nullable(), 'Id of the alliance of the corporation, if any.'),
    available_ext_scopes: field(
      z.array(ExtScope),
      'Scopes of the valid refresh tokens that this service holds for the user, sorted.',
    ),
    character_id: field(Id, 'Id of the character; 0 is the built-in user.'),
    character_name: z.string(),
    clearance_level: field(
      z.number().int().min(GUEST_LEVEL).max(MAX_LEVEL),
      '-1 guest · 0 own data · 1/2 read/write in the corporation · 3/4 alliance · 5/6 coalition · 7/8 everybody · 9 administration · 10 superuser.',
    ),
    coalitions: field(z.array(z.string()), 'Ids of the coalitions, through the alliance or the corporation.'),
    corporation: field(
      z.string().nullable(),
      "Id of the corporation in decimal digits; null for members of the game's own corporations.",
    ),
    created_on: DateTime,
    cumulated_mandatory_ext_scopes: field(
      z.array(ExtScope),
      'What corporation, alliance and coalitions together require, sorted.',
    ),
    is_ceo_of_alliance: field(z.boolean(), "CEO of the alliance's executor corporation."),
    is_ceo_of_corporation: z.boolean(),
    tickered_name: field(
      z.string(),
      "`[TICKER] name` with the alliance's ticker, else the corporation's, else the bare name.",
    ),
    updated_on: DateTime,
  }),
  'User',
  'A game character that signed in here, was registered as a CEO or from the list of members of its corporation, or the built-in user.',
  {
    alliance: 99000001,
    available_ext_scopes: ['ext-location.read_location.v1', 'publicData'],
    character_id: 2112000001,
    character_name: 'Ada Vale',
    clearance_level: 2,
    coalitions: ['66f2a1b3c4d5e6f708192a3b'],
    corporation: '98000001',
    created_on: '2026-03-01T18:20:00.000Z',
    cumulated_mandatory_ext_scopes: ['ext-location.read_location.v1', 'publicData'],
    is_ceo_of_alliance: false,
    is_ceo_of_corporation: true,
    tickered_name: '[NLC] Ada Vale',
    updated_on: '2026-03-02T07:05:30.125Z',
  },
);
export type User = z.infer<typeof User>;

export const UserGroup = component(
  z.object({
    group_id: ObjectId,
    group_name: z.string(),
    is_autogroup: field(
      z.boolean(),
      'Kept by the service itself: it follows a corporation, an alliance, a coalition, or the voice server.',
    ),
    is_owner: field(z.boolean(), 'Whether the user owns the group.'),
  }),
  'UserGroup',
  'A group that a user is a member of.',
  { group_id: '66f2a1b3c4d5e6f708192a3c', group_name: 'Scouts', is_autogroup: false, is_owner: true },
);
export type UserGroup = z.infer<typeof UserGroup>;

export const PutUser = component(
  z
    .object({
      clearance_level: field(
        z.number().int().min(0).max(MAX_LEVEL).nullish(),
        'The new level; null or absent leaves it as it is.',
      ),
    })
    .strict(),
  'PutUser',
  'What to change about a user.',
  { clearance_level: 3 },
);
export type PutUser = z.infer<typeof PutUser>;

export const Tracking = component(
  z.object({
    valid_refresh_token: field(
      z.array(UserShort),
      'At least one valid refresh token covers every scope that is required of the user.',
    ),
    invalid_refresh_token: field(
      z.array(UserShort),
      'There are refresh tokens, but each is invalid or lacks a required scope.',
    ),
    no_refresh_token: field(z.array(UserShort), 'No refresh token at all.'),
  }),
  'Tracking',
  'Every member in exactly one list, by the state of its refresh tokens. Guests and the built-in user are not members.',
  {
    valid_refresh_token: [{ character_id: 2112000001, character_name: 'Ada Vale' }],
    invalid_refresh_token: [],
    no_refresh_token: [{ character_id: 2112000002, character_name: 'Brim Okoro' }],
  },
);
export type Tracking = z.infer<typeof Tracking>;

const byId = z.object({
  character_id: field(IdOrBuiltInInUrl, 'Id of the character; 0 is the built-in user.', 2112000002),
});

const byNameOrId = z.object({
  character: field(Name, 'Name of the character, exactly; or else its id, in decimal digits.', 'Ada Vale'),
});

/** Conditions for the list of users, combined by AND (D71). */
const ListUsersQuery = z.object({
  search: field(Name.optional(), 'Part of the name, in any case.', 'vale'),
  corporation_id: field(IdInUrl.optional(), 'Members of this corporation.', 98000001),
  alliance_id: field(IdInUrl.optional(), 'Members of the corporations of this alliance.', 99000001),
  coalition_id: field(
    ObjectIdInUrl.optional(),
    'Members of the alliances and corporations in this coalition.',
    '66f2a1b3c4d5e6f708192a3b',
  ),
  group_id: field(ObjectIdInUrl.optional(), 'Members of this group.', '66f2a1b3c4d5e6f708192a3c'),
  min_level: field(wholeNumberInQuery(0, MAX_LEVEL).optional(), 'The least clearance level.', 1),
  limit: field(LimitInQuery.optional(), 'Users on a page; 1,000 where absent.', 100),
  after: AfterInQuery.optional(),
});
export type ListUsersQuery = z.output<typeof ListUsersQuery>;

export const userRoutes = c.router({
  list: {
    method: 'GET',
    path: '/user',
    summary: 'List users',
    description: `All users, ordered by name ignoring case, then by id. Guests are left out; the built-in user is listed as \`(built-in)\`. With any parameter the answer is a page. ${NEXT_PAGE}`,
    query: ListUsersQuery,
    responses: { 200: field(z.array(UserShort), 'The users.'), ...errors() },
    metadata: { positioned: true, operationId: 'listUsers', ...level(0) },
  },
  get: {
    method: 'GET',
    path: '/user/:character_name',
    summary: 'Get a user by name or id',
    description:
      "The name is compared exactly. If two users have the same name, it is the one seen last. A decimal number that is nobody's name is taken as an id. Clearance levels are public information.",
    pathParams: z.object({
      character_name: field(
        Name,
        'Name of the character, exactly; or else its id, in decimal digits.',
        'Ada Vale',
      ),
    }),
    responses: { 200: field(User, 'The user.'), ...errors(404) },
    metadata: { positioned: true, operationId: 'getUser', ...level(0) },
  },
  groups: {
    method: 'GET',
    path: '/user/:character/groups',
    summary: 'List the groups of a user',
    description:
      'Every group that the user is a member of, autogroups too, ordered by name ignoring case, then by id.',
    pathParams: byNameOrId,
    responses: { 200: field(z.array(UserGroup), 'The groups.'), ...errors(404) },
    metadata: { positioned: true, operationId: 'listUserGroups', ...level(0) },
  },
  why: {
    method: 'GET',
    path: '/user/:character/why',
    summary: 'Ask why',
    description:
      'Whether the user may log in, is admitted as a member, is tracked as valid, is a member of a group, may read or change another user: the answer, a sentence that says why, the facts it is based on, and what would turn a no into a yes. It is computed by the same code that decides, so it cannot differ from what the service does.',
    pathParams: byNameOrId,
    query: z.object({ about: AboutInQuery }),
    responses: { 200: field(Why, 'The answer and its reasons.'), ...errors(404) },
    metadata: {
      operationId: 'askWhy',
      ...level(0, { besides: 'The caller must be the user or have read authority over the user.' }),
    },
  },
  update: {
    method: 'PUT',
    path: '/user/:character_id',
    summary: 'Set the clearance level of a user',
    description:
      'Without a level in the body nothing changes. Levels follow office and membership: a change of corporation, also from or to none, resets them, levels 9 and 10 excepted.',
    pathParams: byId,
    query: DryRun,
    body: PutUser.default({}),
    responses: { 200: field(User, 'The user as it is now.'), ...errors(404, 413, 415) },
    metadata: {
      operationId: 'updateUser',
      previews: true,
      ...level(0, {
        besides:
          "Setting a level needs at least the new level, at least the user's present one, and write authority over the user; lowering also needs level 9. Nobody can set their own level, a guest's or the built-in user's.",
      }),
    },
  },
  delete: {
    method: 'DELETE',
    path: '/user/:character_id',
    summary: 'Delete a user',
    description:
      'Removes the user with its tokens and all that descend from them, its refresh tokens (revoked at the provider), histories, memberships and voice identity. Groups it owned are left without an owner. This is not a ban: signing in, or the sync, registers the character again at level 0.',
    pathParams: byId,
    query: DryRun,
    responses: { 200: c.noBody(), ...errors(404, 413, 415) },
    metadata: {
      operationId: 'deleteUser',
      previews: true,
      ...level(9, {
        besides: "The user's own level must not be above the caller's. Nobody deletes the built-in user.",
      }),
    },
  },
});
