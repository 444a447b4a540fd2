/** Alliances of corporations. */
import { z } from 'zod';
import { level } from './access.ts';
import { c, component, DateTime, DryRun, field, Id, IdInUrl } from './common.ts';
import { errors } from './error-body.ts';
import { AllianceShort, CorporationShort } from './membership.ts';
import { ExtScope, MandatoryScopes } from './scopes.ts';
import { Tracking, UserShort } from './user.ts';

export const Alliance = component(
  z.object({
    alliance_id: Id,
    alliance_name: z.string(),
    ceo: field(UserShort, 'CEO of the executor corporation.'),
    cumulated_mandatory_ext_scopes: field(
      z.array(ExtScope),
      'What the alliance and its coalitions together require of a member, sorted.',
    ),
    executor_corporation: field(CorporationShort, 'The corporation that leads the alliance.'),
    mandatory_ext_scopes: field(
      z.array(ExtScope),
      'What the alliance itself requires of its members, sorted.',
    ),
    ticker: z.string(),
    updated_on: DateTime,
  }),
  'Alliance',
  'A registered alliance. One that closed keeps its last known executor and CEO.',
  {
    alliance_id: 99000001,
    alliance_name: 'Northern Lights Compact',
    ceo: { character_id: 2112000001, character_name: 'Ada Vale' },
    cumulated_mandatory_ext_scopes: ['ext-location.read_location.v1', 'publicData'],
    executor_corporation: { corporation_id: 98000001, corporation_name: 'Harbour Watch' },
    mandatory_ext_scopes: ['publicData'],
    ticker: 'NLC',
    updated_on: '2026-03-02T07:05:30.125Z',
  },
);
export type Alliance = z.infer<typeof Alliance>;

export const PutAlliance = component(
  z.object({ mandatory_ext_scopes: MandatoryScopes }).strict(),
  'PutAlliance',
  'What to change about the local record of an alliance.',
  { mandatory_ext_scopes: ['ext-location.read_location.v1', 'publicData'] },
);
export type PutAlliance = z.infer<typeof PutAlliance>;

const byId = z.object({ alliance_id: field(IdInUrl, 'Id of the alliance in the game.', 99000001) });

export const allianceRoutes = c.router({
  list: {
    method: 'GET',
    path: '/alliance',
    summary: 'List alliances',
    description: 'All registered alliances, ordered by name ignoring case, then by id.',
    responses: { 200: field(z.array(AllianceShort), 'The alliances.'), ...errors() },
    metadata: { positioned: true, operationId: 'listAlliances', ...level(0) },
  },
  get: {
    method: 'GET',
    path: '/alliance/:alliance_id',
    summary: 'Get an alliance',
    description: 'A registered alliance. One that exists in the game but was never registered here is a 404.',
    pathParams: byId,
    responses: { 200: field(Alliance, 'The alliance.'), ...errors(404) },
    metadata: { positioned: true, operationId: 'getAlliance', ...level(0) },
  },
  tracking: {
    method: 'GET',
    path: '/alliance/:alliance_id/tracking',
    summary: 'Track the refresh tokens of an alliance',
    description:
      'Sorts the members by the state of their refresh tokens. A refresh token counts as valid only if its scopes cover everything that is required of its user.',
    pathParams: byId,
    responses: { 200: field(Tracking, 'The members.'), ...errors(404) },
    metadata: {
      positioned: true,
      operationId: 'trackAlliance',
      ...level(3, { authority: { over: 'alliance', mode: 'read', param: 'alliance_id' } }),
    },
  },
  register: {
    method: 'POST',
    path: '/alliance/:alliance_id',
    summary: 'Register or refresh an alliance',
    description:
      'Fetches the alliance from the external API and stores it together with its executor corporation and CEO; its other corporations follow in the background. An alliance that is registered already is refreshed. One that the provider does not know, or that closed, is a 404.',
    pathParams: byId,
    body: c.noBody(),
    responses: { 200: field(Alliance, 'The alliance.'), ...errors(404, 413, 415, 502, 504) },
    metadata: {
      operationId: 'registerAlliance',
      codes: ['provider_limits_used_up', 'caller_errors_used_up'],
      ...level(8),
    },
  },
  update: {
    method: 'PUT',
    path: '/alliance/:alliance_id',
    summary: 'Change the local record of an alliance',
    description:
      'Sets the scopes that the alliance requires of its members. Only the local record changes, nothing in the game. In addition to the level, write authority over the alliance is needed, also for its CEO.',
    pathParams: byId,
    query: DryRun,
    body: PutAlliance.default({}),
    responses: { 200: field(Alliance, 'The alliance as it is now.'), ...errors(404, 413, 415) },
    metadata: {
      operationId: 'updateAlliance',
      previews: true,
      ...level(4, { authority: { over: 'alliance', mode: 'write', param: 'alliance_id' } }),
    },
  },
});
