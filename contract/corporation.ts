/** Corporations and their guests. */
import { z } from 'zod';
import { level } from './access.ts';
import { c, component, DateTime, DryRun, field, Id, IdInUrl } from './common.ts';
import { errors } from './error-body.ts';
import { AllianceShort, CorporationShort } from './membership.ts';
import { ExtScope, MandatoryScopes } from './scopes.ts';
import { Tracking, UserShort } from './user.ts';

export const Corporation = component(
  z.object({
    alliance: field(AllianceShort.nullable(), 'The alliance that it belongs to, if any.'),
    ceo: UserShort,
    corporation_id: Id,
    corporation_name: z.string(),
    cumulated_mandatory_ext_scopes: field(
      z.array(ExtScope),
      'What the corporation, its alliance and their coalitions together require of a member, sorted.',
    ),
    mandatory_ext_scopes: field(
      z.array(ExtScope),
      'What the corporation itself requires of its members, sorted.',
    ),
    ticker: z.string(),
    updated_on: DateTime,
  }),
  'Corporation',
  'A registered corporation. One that closed keeps its last known CEO.',
  {
    alliance: { alliance_id: 99000001, alliance_name: 'Northern Lights Compact' },
    ceo: { character_id: 2112000001, character_name: 'Ada Vale' },
    corporation_id: 98000001,
    corporation_name: 'Harbour Watch',
    cumulated_mandatory_ext_scopes: ['ext-location.read_location.v1', 'publicData'],
    mandatory_ext_scopes: ['ext-location.read_location.v1'],
    ticker: 'HBRW',
    updated_on: '2026-03-02T07:05:30.125Z',
  },
);
export type Corporation = z.infer<typeof Corporation>;

export const PutCorporation = component(
  z.object({ mandatory_ext_scopes: MandatoryScopes }).strict(),
  'PutCorporation',
  'What to change about the local record of a corporation.',
  { mandatory_ext_scopes: ['ext-location.read_location.v1', 'publicData'] },
);
export type PutCorporation = z.infer<typeof PutCorporation>;

export const GuestCode = component(
  z.object({ state_code: field(z.string(), 'To be sent as `state_code` to `POST /token/use/from/dyn`.') }),
  'GuestCode',
  'An invitation: used once, valid for 24 hours, with any dynamic app token.',
  { state_code: '0b7c8f7e-6f5d-4c3b-9a21-0f1e2d3c4b5a' },
);
export type GuestCode = z.infer<typeof GuestCode>;

const corporationId = field(IdInUrl, 'Id of the corporation in the game.', 98000001);
const byId = z.object({ corporation_id: corporationId });

export const corporationRoutes = c.router({
  list: {
    method: 'GET',
    path: '/corporation',
    summary: 'List corporations',
    description: 'All registered corporations, ordered by name ignoring case, then by id.',
    responses: { 200: field(z.array(CorporationShort), 'The corporations.'), ...errors() },
    metadata: { positioned: true, operationId: 'listCorporations', ...level(0) },
  },
  get: {
    method: 'GET',
    path: '/corporation/:corporation_id',
    summary: 'Get a corporation',
    description:
      'A registered corporation. One that exists in the game but was never registered here is a 404.',
    pathParams: byId,
    responses: { 200: field(Corporation, 'The corporation.'), ...errors(404) },
    metadata: { positioned: true, operationId: 'getCorporation', ...level(0) },
  },
  tracking: {
    method: 'GET',
    path: '/corporation/:corporation_id/tracking',
    summary: 'Track the refresh tokens of a corporation',
    description:
      'Sorts the members by the state of their refresh tokens. A refresh token counts as valid only if its scopes cover everything that is required of its user.',
    pathParams: byId,
    responses: { 200: field(Tracking, 'The members.'), ...errors(404) },
    metadata: {
      positioned: true,
      operationId: 'trackCorporation',
      ...level(1, { authority: { over: 'corporation', mode: 'read', param: 'corporation_id' } }),
    },
  },
  register: {
    method: 'POST',
    path: '/corporation/:corporation_id',
    summary: 'Register or refresh a corporation',
    description:
      "Fetches the corporation from the external API and stores it together with its CEO and its alliance. A corporation that is registered already is refreshed. One that the provider does not know, that closed, or that is the game's own (id below 2,000,000) is a 404.",
    pathParams: byId,
    body: c.noBody(),
    responses: { 200: field(Corporation, 'The corporation.'), ...errors(404, 413, 415, 502, 504) },
    metadata: {
      operationId: 'registerCorporation',
      codes: ['provider_limits_used_up', 'caller_errors_used_up'],
      ...level(8),
    },
  },
  update: {
    method: 'PUT',
    path: '/corporation/:corporation_id',
    summary: 'Change the local record of a corporation',
    description:
      'Sets the scopes that the corporation requires of its members. Only the local record changes, nothing in the game. In addition to the level, write authority over the corporation is needed, also for its CEO.',
    pathParams: byId,
    query: DryRun,
    body: PutCorporation.default({}),
    responses: { 200: field(Corporation, 'The corporation as it is now.'), ...errors(404, 413, 415) },
    metadata: {
      operationId: 'updateCorporation',
      previews: true,
      ...level(2, { authority: { over: 'corporation', mode: 'write', param: 'corporation_id' } }),
    },
  },
  listGuests: {
    method: 'GET',
    path: '/corporation/:corporation_id/guest',
    summary: 'List the guests of a corporation',
    description: 'Ordered by name ignoring case, then by id. Guests are not in `GET /user`.',
    pathParams: byId,
    responses: { 200: field(z.array(UserShort), 'The guests.'), ...errors(404) },
    metadata: {
      positioned: true,
      operationId: 'listGuests',
      ...level(1, { authority: { over: 'corporation', mode: 'read', param: 'corporation_id' } }),
    },
  },
  createGuestCode: {
    method: 'POST',
    path: '/corporation/:corporation_id/guest',
    summary: 'Create a state code for a new guest',
    description:
      'The code can be used once, is valid for 24 hours and works with any dynamic app token, while the user who made it may log in, or has level 9 or 10, and has read authority over the corporation; the login asks for the scopes that the inviting corporation requires. A character that signs in with it and would not be admitted otherwise becomes a guest of the corporation at level -1, whatever level below 9 it had; levels 9 and 10 are refused. A character that would be admitted anyway signs in normally and keeps its level. A corporation has at most 100 valid codes; one more is a 409 until one of them is used or expires.',
    pathParams: byId,
    body: c.noBody(),
    responses: { 200: field(GuestCode, 'The invitation.'), ...errors(404, 409, 413, 415) },
    metadata: {
      operationId: 'createGuestCode',
      codes: ['too_many_guest_codes'],
      ...level(1, { authority: { over: 'corporation', mode: 'read', param: 'corporation_id' } }),
    },
  },
  deleteGuest: {
    method: 'DELETE',
    path: '/corporation/:corporation_id/guest/:character_id',
    summary: 'Delete a guest',
    description:
      'Deletes the guest user with everything that belongs to it. A user who is not a guest of this corporation is a 404. One whom a group forbids to log in, or bars from another group by a policy that level 9 set, is deleted by level 9 alone.',
    pathParams: z.object({
      corporation_id: corporationId,
      character_id: field(IdInUrl, 'Id of the guest.', 2112000003),
    }),
    query: DryRun,
    responses: { 200: c.noBody(), ...errors(404, 413, 415) },
    metadata: {
      operationId: 'deleteGuest',
      previews: true,
      ...level(2, { authority: { over: 'corporation', mode: 'write', param: 'corporation_id' } }),
    },
  },
});
