/** Coalitions of alliances and corporations. */
import { z } from 'zod';
import { ADMINISTRATOR_LEVEL, level } from './access.ts';
import {
  c,
  component,
  DateTime,
  DryRun,
  field,
  fullListAlone,
  IdInBody,
  MAX_LIST,
  ObjectId,
  ObjectIdInUrl,
} from './common.ts';
import { errors } from './error-body.ts';
import { AllianceShort, CorporationShort } from './membership.ts';
import { ExtScope, MandatoryScopes } from './scopes.ts';
import { Name, Ticker } from './text.ts';
import { Tracking } from './user.ts';

export const CoalitionShort = component(
  z.object({ coalition_id: ObjectId, coalition_name: z.string() }),
  'CoalitionShort',
  'A coalition by id and name.',
  { coalition_id: '66f2a1b3c4d5e6f708192a3b', coalition_name: 'Lantern Pact' },
);
export type CoalitionShort = z.infer<typeof CoalitionShort>;

export const Coalition = component(
  z.object({
    authorized_to_login: field(
      z.boolean().nullable(),
      'true: members may log in. false: members may not log in, whatever other groups say. null: no effect.',
    ),
    coalition_id: ObjectId,
    coalition_name: z.string(),
    created_on: DateTime,
    mandatory_ext_scopes: field(z.array(ExtScope), 'What the coalition requires of its members, sorted.'),
    member_alliances: z.array(AllianceShort),
    member_corporations: field(
      z.array(CorporationShort),
      'Corporations that are members directly, not through an alliance.',
    ),
    ticker: z.string(),
    updated_on: DateTime,
  }),
  'Coalition',
  'Alliances and corporations that act together. Members of a new coalition may log in.',
  {
    authorized_to_login: true,
    coalition_id: '66f2a1b3c4d5e6f708192a3b',
    coalition_name: 'Lantern Pact',
    created_on: '2026-02-11T20:00:00.000Z',
    mandatory_ext_scopes: ['publicData'],
    member_alliances: [{ alliance_id: 99000001, alliance_name: 'Northern Lights Compact' }],
    member_corporations: [],
    ticker: 'LNTN',
    updated_on: '2026-03-02T07:05:30.125Z',
  },
);
export type Coalition = z.infer<typeof Coalition>;

export const PostCoalition = component(
  z.object({ coalition_name: Name, ticker: Ticker }).strict(),
  'PostCoalition',
  'A new coalition.',
  { coalition_name: 'Lantern Pact', ticker: 'LNTN' },
);
export type PostCoalition = z.infer<typeof PostCoalition>;

const Ids = z.array(IdInBody).max(MAX_LIST).nullish();

export const PutCoalition = component(
  z
    .object({
      add_member_alliances: field(Ids, 'Ids of registered alliances to add.'),
      add_member_corporations: field(Ids, 'Ids of registered corporations to add.'),
      authorized_to_login: field(z.boolean().nullish(), 'Once set, it never returns to null.'),
      mandatory_ext_scopes: MandatoryScopes,
      member_alliances: field(
        Ids,
        'Replaces all member alliances; cannot be combined with additions or removals of alliances.',
      ),
      member_corporations: field(
        Ids,
        'Replaces all member corporations; cannot be combined with additions or removals of corporations.',
      ),
      remove_member_alliances: field(Ids, 'Ids of alliances to remove.'),
      remove_member_corporations: field(Ids, 'Ids of corporations to remove.'),
      ticker: Ticker.nullish(),
    })
    .strict()
    .superRefine(fullListAlone('member_alliances', 'add_member_alliances', 'remove_member_alliances'))
    .superRefine(
      fullListAlone('member_corporations', 'add_member_corporations', 'remove_member_corporations'),
    ),
  'PutCoalition',
  'What to change about a coalition; null means the same as leaving a field out, an empty list is a list.',
  { add_member_alliances: [99000001], authorized_to_login: true },
);
export type PutCoalition = z.infer<typeof PutCoalition>;

const byId = z.object({
  coalition_id: field(ObjectIdInUrl, 'Id of the coalition.', '66f2a1b3c4d5e6f708192a3b'),
});

export const coalitionRoutes = c.router({
  list: {
    method: 'GET',
    path: '/coalition',
    summary: 'List coalitions',
    description: 'All coalitions, ordered by name ignoring case, then by id.',
    responses: { 200: field(z.array(CoalitionShort), 'The coalitions.'), ...errors() },
    metadata: { positioned: true, operationId: 'listCoalitions', ...level(0) },
  },
  get: {
    method: 'GET',
    path: '/coalition/:coalition_id',
    summary: 'Get a coalition',
    description: 'A coalition with its members and what it requires of them.',
    pathParams: byId,
    responses: { 200: field(Coalition, 'The coalition.'), ...errors(404) },
    metadata: { positioned: true, operationId: 'getCoalition', ...level(0) },
  },
  create: {
    method: 'POST',
    path: '/coalition',
    summary: 'Create a coalition',
    description:
      'The new coalition has no members, and `authorized_to_login` is true. A name that exists already, compared in NFC ignoring case, is a 409.',
    body: PostCoalition,
    responses: { 201: field(Coalition, 'The new coalition.'), ...errors(409, 413, 415) },
    metadata: { operationId: 'createCoalition', ...level(9) },
  },
  update: {
    method: 'PUT',
    path: '/coalition/:coalition_id',
    summary: 'Change a coalition',
    description:
      'Applied in this order: additions, authorized_to_login, mandatory_ext_scopes, full lists, removals, ticker. Additions and removals may be combined; a full list cannot be combined with them. An id that is given twice counts once. Members must be registered already: an unknown id is a 404.',
    pathParams: byId,
    query: DryRun,
    body: PutCoalition.default({}),
    responses: { 200: field(Coalition, 'The coalition as it is now.'), ...errors(404, 413, 415) },
    metadata: {
      operationId: 'updateCoalition',
      previews: true,
      ...level(6, {
        authority: { over: 'coalition', mode: 'write', param: 'coalition_id' },
        fields: { authorized_to_login: ADMINISTRATOR_LEVEL },
        besides:
          "Below level 8 that means: the caller's own corporation or alliance is a member of the coalition already, whatever the update changes. Every alliance or corporation that the update adds or removes needs write authority over it, too. Where authorized_to_login of the coalition, or of its autogroup, is false, adding or removing a member needs level 9. All of it is judged before the update, on what the caller may do at that moment.",
      }),
    },
  },
  delete: {
    method: 'DELETE',
    path: '/coalition/:coalition_id',
    summary: 'Delete a coalition',
    description:
      'Its members stay registered. Users who could log in only because of this coalition no longer can.',
    pathParams: byId,
    query: DryRun,
    responses: { 200: c.noBody(), ...errors(404, 413, 415) },
    metadata: { operationId: 'deleteCoalition', previews: true, ...level(9) },
  },
  tracking: {
    method: 'GET',
    path: '/coalition/:coalition_id/tracking',
    summary: 'Track the refresh tokens of a coalition',
    description:
      'Sorts the members of all its alliances and corporations by the state of their refresh tokens. A refresh token counts as valid only if its scopes cover everything that is required of its user.',
    pathParams: byId,
    responses: { 200: field(Tracking, 'The members.'), ...errors(404) },
    metadata: {
      positioned: true,
      operationId: 'trackCoalition',
      ...level(5, {
        authority: { over: 'coalition', mode: 'read', param: 'coalition_id' },
        besides: "Below level 7 that means: the caller's own corporation or alliance is a member of it.",
      }),
    },
  },
});
