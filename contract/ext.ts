/** External data: requests forwarded to the game. */
import { extendApi } from '@anatine/zod-openapi';
import { z } from 'zod';
import { level } from './access.ts';
import { c, component, FlagInQuery, field, IdInBody, IdInUrl, MAX_LIST } from './common.ts';
import { always, errors, Problem, ValidationProblem } from './error-body.ts';
import { limitsOf, MAX_FIELDS } from './json/limits.ts';
import { readJson } from './json/read.ts';
import { text } from './text.ts';
import { byType } from './union-by-type.ts';

// Forwarding -----------------------------------------------------------------------------------------------

const PLAIN = 'Must be text, a number, a boolean, or a list of them';
const SCALARS = [text(0, 4000), extendApi(z.number().finite(), { format: 'double' }), z.boolean()] as const;
const List = z.array(byType(SCALARS, PLAIN)).max(MAX_LIST);

/** Query parameters for the game; null is the same as leaving one out. */
const ForwardParams = extendApi(z.record(text(1, 100), byType([...SCALARS, List], PLAIN).nullable()), {
  description: 'Query parameters of the forwarded request: text, numbers, booleans, or lists of them.',
  maxProperties: MAX_FIELDS,
});
const FORWARD_PARAMS_LIMITS = limitsOf(ForwardParams);

const FLAGS = {
  all_pages:
    'Fetch and join all pages of what is paged by `page` and `X-Pages`; the rest answers as without it.',
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
  { all_pages: false, id_annotations: true, on_behalf_of: 2112000001, params: { order_type: 'sell' } },
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
        // Null means the same as absent, as in a body (D3).
        if ('value' in read) return read.value ?? {};
        ctx.addIssue({ code: 'custom', path: [...read.fault.loc], message: read.fault.msg });
        return z.NEVER;
      })
      .pipe(ForwardParams),
    'The query parameters of the forwarded request as one JSON object.',
    { order_type: 'sell' },
  ),
});
export type ExternalForwardQuery = z.infer<typeof ExternalForwardQuery>;

// Zod treats a field of any type as optional, so it is declared as always present by hand.
export const ExternalForwardAnswer = extendApi(
  component(
    z.object({
      data: field(z.unknown(), 'What the game answered; with all_pages the pages joined in order.'),
      headers: field(
        z.record(z.string()),
        "The headers of the game's answer about caching, pages and limits; others are left out.",
      ),
      id_annotations: field(z.record(z.string()), 'Names by id; empty if `id_annotations` was not set.'),
      status_code: field(z.number().int(), 'What the game answered with, below 400.'),
    }),
    'ExternalForwardAnswer',
    'The answer of the game to a forwarded request.',
    {
      data: [{ order_id: 6000200000, type_id: 587, system_id: 30000142, is_buy_order: false, price: 5000.5 }],
      headers: { 'cache-control': 'public, max-age=300', etag: '"4f1c"', 'x-pages': '4' },
      id_annotations: { '587': 'Rifter', '30000142': 'Meridian' },
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
      code: always('provider_refused'),
      data: field(z.unknown(), 'What the game answered.'),
      headers: field(
        z.record(z.string()),
        "The headers of the game's answer about caching and limits; others are left out.",
      ),
      status_code: field(
        z.number().int(),
        "The status of the game's answer; refusals by this service do not have this field.",
      ),
    }),
    'ExternalForwardRefusal',
    'The game refused a forwarded request.',
    {
      detail: 'Character is not in the corporation',
      code: 'provider_refused',
      data: { error: 'Character is not in the corporation' },
      headers: { 'x-esi-error-limit-remain': '96' },
      status_code: 403,
    },
  ),
  { required: ['data'] },
);
export type ExternalForwardRefusal = z.infer<typeof ExternalForwardRefusal>;

// Routes ---------------------------------------------------------------------------------------------------

const forwarded = z.object({
  esi_path: field(
    text(1, 1000),
    "Path of the game's API, slashes included. A version prefix and a trailing slash are dropped; a path that the provider's own document does not list is a 404; what cannot be a plain path is a 422.",
    'markets/10000002/orders',
  ),
});

const forwarding = level(0, {
  besides:
    'Acting on behalf of another user needs read authority over that user, unless the path asks for no scope.',
});

const FORWARDING_CODES = [
  ...(['not_found', 'path_unknown', 'ext_path_unknown', 'no_refresh_token'] as const),
  ...(['caller_errors_used_up', 'too_many_joined_answers'] as const),
  ...(['provider_unavailable', 'provider_pages_changed'] as const),
  ...(['provider_limits_used_up', 'forwarding_busy', 'encryption_key_missing'] as const),
];

const FORWARDING =
  'Only GET is ever sent to the game. What it answers below 400 is answered with 200. Where it refuses, its own status is the answer (502 for its 401), with its words as `detail`; `status_code` in the body tells its refusals from ours. 404 where no valid refresh token of the character has the scope that the path needs; 422 where `params` holds what the game does not declare for the path, or a joined answer would have more than 64 MiB or 1,000 pages; 429 for the caller of too many refused requests, or of more than four joined answers at the same time; 502 where the game cannot be reached, fails, or does not answer in JSON; 504 where it does not answer in time; 503 while its error budget is used up or it refuses us.';

/** An error of this service, or the provider's own with the same status. */
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

export const extRoutes = c.router({
  forward: {
    method: 'POST',
    path: '/ext/:esi_path',
    summary: 'Forward a GET request to the game',
    description: FORWARDING,
    pathParams: forwarded,
    body: ExternalForwardRequest.default({}),
    responses: FORWARDED,
    metadata: { operationId: 'forward', mirrors: true, codes: FORWARDING_CODES, ...forwarding },
  },
  forwardGet: {
    method: 'GET',
    path: '/ext/:esi_path',
    summary: 'Forward a GET request to the game (by GET)',
    description: `${FORWARDING} The fields of ExternalForwardRequest come in the query, or in a JSON body, for clients that send one with GET, but not in both.`,
    pathParams: forwarded,
    query: ExternalForwardQuery,
    responses: FORWARDED,
    metadata: { operationId: 'forwardByGet', mirrors: true, codes: FORWARDING_CODES, ...forwarding },
  },
});
