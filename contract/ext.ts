/** External data: requests forwarded to the game, and the histories kept of each character. */
import { extendApi } from '@anatine/zod-openapi';
import { z } from 'zod';
import { level } from './access.ts';
import { byType } from './by-type.ts';
import {
  c,
  component,
  DateTime,
  errors,
  FlagInQuery,
  field,
  Id,
  IdInBody,
  IdInUrl,
  MAX_LIST,
  PageHeader,
  Problem,
  text,
  ValidationProblem,
} from './common.ts';
import { limitsOf, MAX_FIELDS } from './json/limits.ts';
import { readJson } from './json/read.ts';
import { UserShort } from './user.ts';

// Forwarding -----------------------------------------------------------------------------------------------

const PLAIN = 'Must be text, a number, a boolean, or a list of them';
const SCALARS = [text(0, 4000), z.number().finite(), z.boolean()] as const;
const List = z.array(byType(SCALARS, PLAIN)).max(MAX_LIST);

/** Query parameters for the game; null is the same as leaving one out. */
const ForwardParams = extendApi(z.record(text(1, 100), byType([...SCALARS, List], PLAIN).nullable()), {
  description: 'Query parameters of the forwarded request: text, numbers, booleans, or lists of them.',
  maxProperties: MAX_FIELDS,
});
const FORWARD_PARAMS_LIMITS = limitsOf(ForwardParams);

const FLAGS = {
  all_pages: 'Fetch every page and join them.',
  id_annotations: 'Look up the names behind the ids in the answer.',
  on_behalf_of: "Id of the character whose access is used; the caller's own where absent.",
} as const;

const flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);

export const ExternalForwardRequest = component(
  z
    .object({
      all_pages: extendApi(flag, { default: false, description: FLAGS.all_pages }),
      id_annotations: extendApi(flag, { default: false, description: FLAGS.id_annotations }),
      on_behalf_of: field(IdInBody.nullish(), FLAGS.on_behalf_of),
      params: extendApi(
        ForwardParams.nullish().transform((params) => params ?? {}),
        { default: {} },
      ),
    })
    .strict(),
  'ExternalForwardRequest',
  'How to forward a request; every field may be left out.',
  { all_pages: false, id_annotations: true, on_behalf_of: 2112000001, params: { language: 'en' } },
);
export type ExternalForwardRequest = z.infer<typeof ExternalForwardRequest>;

/** {@link ExternalForwardRequest} as a query: `params` is JSON. */
export const ExternalForwardQuery = z.object({
  all_pages: field(FlagInQuery, FLAGS.all_pages, false),
  id_annotations: field(FlagInQuery, FLAGS.id_annotations, true),
  on_behalf_of: field(IdInUrl.optional(), FLAGS.on_behalf_of, 2112000001),
  params: field(
    z
      .string()
      .default('{}')
      .transform((json, ctx): unknown => {
        const read = readJson(json, FORWARD_PARAMS_LIMITS);
        if ('value' in read) return read.value;
        ctx.addIssue({ code: 'custom', path: [...read.fault.loc], message: read.fault.msg });
        return z.NEVER;
      })
      .pipe(ForwardParams),
    'The query parameters of the forwarded request as one JSON object.',
    { language: 'en' },
  ),
});
export type ExternalForwardQuery = z.infer<typeof ExternalForwardQuery>;

// A field that may hold anything counts as optional to Zod: that it is always there is said by hand.
export const ExternalForwardAnswer = extendApi(
  component(
    z.object({
      data: field(z.unknown(), 'What the game answered; with all_pages the pages joined in order.'),
      headers: field(z.record(z.string()), 'The harmless headers of the answer: caching, pages, limits.'),
      id_annotations: field(z.record(z.string()), 'Names by id, empty where they were not asked for.'),
      status_code: field(z.number().int(), 'What the game answered with, below 400.'),
    }),
    'ExternalForwardAnswer',
    'The answer of the game to a forwarded request.',
    {
      data: { solar_system_id: 30000142, station_id: 60003760 },
      headers: { 'cache-control': 'private, max-age=5', etag: '"4f1c"' },
      id_annotations: { '30000142': 'Meridian' },
      status_code: 200,
    },
  ),
  { required: ['data'] },
);
export type ExternalForwardAnswer = z.infer<typeof ExternalForwardAnswer>;

export const ExternalForwardRefusal = extendApi(
  component(
    z.object({
      detail: field(z.string(), "The game's own words, where it has some."),
      data: field(z.unknown(), 'What the game answered.'),
      headers: field(z.record(z.string()), 'The harmless headers of the answer: caching, limits.'),
      status_code: field(z.number().int(), 'What the game answered with: it tells its refusals from ours.'),
    }),
    'ExternalForwardRefusal',
    'The game refused a forwarded request.',
    {
      detail: 'Character is not in the corporation',
      data: { error: 'Character is not in the corporation' },
      headers: { 'x-esi-error-limit-remain': '96' },
      status_code: 403,
    },
  ),
  { required: ['data'] },
);
export type ExternalForwardRefusal = z.infer<typeof ExternalForwardRefusal>;

// Histories ------------------------------------------------------------------------------------------------

export const CharacterLocation = component(
  z.object({
    online: z.boolean(),
    ship_name: field(z.string(), 'The name that the player gave the ship.'),
    ship_type_id: Id,
    ship_type_name: z.string(),
    solar_system_id: Id,
    solar_system_name: z.string(),
    station_id: Id.nullable(),
    station_name: z.string().nullable(),
    structure_id: Id.nullable(),
    structure_name: z.string().nullable(),
    timestamp: DateTime,
    user: UserShort,
  }),
  'CharacterLocation',
  'Where a character was. Docked in at most one of station and structure; in space in neither.',
  {
    online: true,
    ship_name: 'Second Thought',
    ship_type_id: 587,
    ship_type_name: 'Courier',
    solar_system_id: 30000142,
    solar_system_name: 'Meridian',
    station_id: 60003760,
    station_name: 'Meridian IV, Freight Yard',
    structure_id: null,
    structure_name: null,
    timestamp: '2026-03-02T07:05:30.125Z',
    user: { character_id: 2112000001, character_name: 'Ada Vale' },
  },
);
export type CharacterLocation = z.infer<typeof CharacterLocation>;

export const MailRecipient = component(
  z.object({
    recipient_id: Id,
    recipient_name: field(z.string(), '`Mailing list N` or `#N` where the name cannot be had.'),
  }),
  'MailRecipient',
  'A character, corporation, alliance or mailing list that a mail went to.',
  { recipient_id: 98000001, recipient_name: 'Harbour Watch' },
);
export type MailRecipient = z.infer<typeof MailRecipient>;

export const CharacterMail = component(
  z.object({
    body: field(z.string(), 'Plain text with its line breaks.'),
    from_id: Id,
    from_name: z.string(),
    mail_id: Id,
    recipients: z.array(MailRecipient),
    subject: z.string(),
    timestamp: DateTime,
  }),
  'CharacterMail',
  'A mail with its text.',
  {
    body: 'Doors close at eight.\nBring a lantern.',
    from_id: 2112000001,
    from_name: 'Ada Vale',
    mail_id: 380000001,
    recipients: [{ recipient_id: 98000001, recipient_name: 'Harbour Watch' }],
    subject: 'Tonight',
    timestamp: '2026-03-02T07:05:30.000Z',
  },
);
export type CharacterMail = z.infer<typeof CharacterMail>;

export const CharacterMailShort = component(
  z.object({
    from_character: UserShort,
    mail_id: Id,
    recipients: z.array(MailRecipient),
    subject: z.string(),
    timestamp: DateTime,
  }),
  'CharacterMailShort',
  'The header of a mail.',
  {
    from_character: { character_id: 2112000001, character_name: 'Ada Vale' },
    mail_id: 380000001,
    recipients: [{ recipient_id: 98000001, recipient_name: 'Harbour Watch' }],
    subject: 'Tonight',
    timestamp: '2026-03-02T07:05:30.000Z',
  },
);
export type CharacterMailShort = z.infer<typeof CharacterMailShort>;

export const CharacterSkillPoints = component(
  z.object({
    timestamp: DateTime,
    total_sp: z.number().int(),
    unallocated_sp: z.number().int(),
  }),
  'CharacterSkillPoints',
  'Skill points at one moment.',
  { timestamp: '2026-03-02T07:05:30.125Z', total_sp: 48_200_000, unallocated_sp: 12_500 },
);
export type CharacterSkillPoints = z.infer<typeof CharacterSkillPoints>;

export const CharacterWalletBalance = component(
  z.object({ balance: extendApi(z.number(), { format: 'double' }), timestamp: DateTime }),
  'CharacterWalletBalance',
  'The balance of a wallet at one moment.',
  { balance: 1_250_000.25, timestamp: '2026-03-02T07:05:30.125Z' },
);
export type CharacterWalletBalance = z.infer<typeof CharacterWalletBalance>;

// Routes ---------------------------------------------------------------------------------------------------

const forwarded = z.object({
  esi_path: field(
    text(1, 1000),
    "Path of the game's API, slashes included. A version prefix and a trailing slash are dropped; a path that the provider's own document does not list is a 404; what cannot be a plain path is a 422.",
    'characters/2112000001/location',
  ),
});

const characterId = field(IdInUrl, 'Id of the character.', 2112000001);
const byCharacter = z.object({ character_id: characterId });

const history = level(0, { authority: { over: 'user', mode: 'read', param: 'character_id' } });

const forwarding = level(0, {
  besides:
    'Acting on behalf of another user needs read authority over that user, unless the path asks for no scope.',
});

const FORWARDING =
  'Only GET is ever sent to the game. What it answers below 400 is answered with 200. Where it refuses, its own status is the answer (502 for its 401), with its words as `detail`; `status_code` in the body tells its refusals from ours. 404 where no valid refresh token of the character has the scope that the path needs; 422 where `params` holds what the game does not declare for the path, or a joined answer would have more than 64 MiB; 429 for the caller of too many refused requests, or of more than four joined answers at the same time; 502 where the game cannot be reached, fails, or does not answer in JSON; 503 while its error budget is used up or it refuses us.';

/** Ours, or the game's own with the same status. */
function either(ours: typeof Problem | typeof ValidationProblem, description: string) {
  return field(z.union([ExternalForwardRefusal, ours]), `${description} Or the game refused the request.`);
}

const FORWARDED = {
  200: field(ExternalForwardAnswer, 'The answer of the game.'),
  ...errors(413, 415, 504),
  400: field(ExternalForwardRefusal, 'The game refused the request.'),
  403: either(Problem, 'Clearance or authority missing.'),
  404: either(Problem, 'There is no such path, no such user, or no refresh token with the scope.'),
  422: either(ValidationProblem, 'Path, query, headers or body are not what the operation takes.'),
  502: either(Problem, 'The game could not be reached, or gave no usable answer.'),
};

const HISTORY =
  'Newest first, 50 on a page; `X-Pages` counts the pages. A page beyond the last is a 422; an empty history has one empty page.';

export const extRoutes = c.router({
  forward: {
    method: 'POST',
    path: '/ext/:esi_path',
    summary: 'Forward a GET request to the game',
    description: FORWARDING,
    pathParams: forwarded,
    body: ExternalForwardRequest.default({}),
    responses: FORWARDED,
    metadata: { operationId: 'forward', mirrors: true, ...forwarding },
  },
  forwardGet: {
    method: 'GET',
    path: '/ext/:esi_path',
    summary: 'Forward a GET request to the game, asked for by GET',
    description: `${FORWARDING} The fields of ExternalForwardRequest come in the query, or in a JSON body, for clients that send one with GET; a body with any field in it is taken in place of the query.`,
    pathParams: forwarded,
    query: ExternalForwardQuery,
    responses: FORWARDED,
    metadata: { operationId: 'forwardByGet', mirrors: true, ...forwarding },
  },
  locations: {
    method: 'GET',
    path: '/ext/history/characters/:character_id/location',
    summary: 'List the locations of a character',
    description: HISTORY,
    pathParams: byCharacter,
    headers: PageHeader,
    responses: { 200: field(z.array(CharacterLocation), 'One page.'), ...errors(404) },
    metadata: { operationId: 'listLocations', ...history },
  },
  mails: {
    method: 'GET',
    path: '/ext/history/characters/:character_id/mail',
    summary: 'List the mails of a character',
    description: `Headers of the mails sent and received. ${HISTORY}`,
    pathParams: byCharacter,
    headers: PageHeader,
    responses: { 200: field(z.array(CharacterMailShort), 'One page.'), ...errors(404) },
    metadata: { operationId: 'listMails', ...history },
  },
  mail: {
    method: 'GET',
    path: '/ext/history/characters/:character_id/mail/:mail_id',
    summary: 'Get a mail of a character',
    description:
      "A mail with its text. One that this character's mailbox does not hold is a 404. A text that no job came to yet is asked of the game now, with the refresh token of the character: 404 where none is valid.",
    pathParams: z.object({
      character_id: characterId,
      mail_id: field(IdInUrl, 'Id of the mail.', 380000001),
    }),
    responses: { 200: field(CharacterMail, 'The mail.'), ...errors(404, 502, 504) },
    metadata: { operationId: 'getMail', ...history },
  },
  skillPoints: {
    method: 'GET',
    path: '/ext/history/characters/:character_id/skillpoints',
    summary: 'List the skill points of a character',
    description: HISTORY,
    pathParams: byCharacter,
    headers: PageHeader,
    responses: { 200: field(z.array(CharacterSkillPoints), 'One page.'), ...errors(404) },
    metadata: { operationId: 'listSkillPoints', ...history },
  },
  wallet: {
    method: 'GET',
    path: '/ext/history/characters/:character_id/wallet',
    summary: 'List the wallet balances of a character',
    description: HISTORY,
    pathParams: byCharacter,
    headers: PageHeader,
    responses: { 200: field(z.array(CharacterWalletBalance), 'One page.'), ...errors(404) },
    metadata: { operationId: 'listWalletBalances', ...history },
  },
  storeLocation: {
    method: 'POST',
    path: '/ext/history/characters/:character_id/location/now',
    summary: 'Fetch and store the present location of a character',
    description:
      'Asks the game with the refresh token of the character and adds the answer to the location history. 404 where no valid refresh token has the scopes that it needs.',
    pathParams: byCharacter,
    body: c.noBody(),
    responses: { 200: field(CharacterLocation, 'The location.'), ...errors(404, 502, 504) },
    metadata: { operationId: 'storeLocation', ...history },
  },
});
