/** The error answers of operations: what each status means, with an example of each code that comes with it (D73). */
import { type AccessRule, DYN_REFUSED, GUEST_LEVEL, type RouteMetadata, TOKEN_KINDS } from '../access.ts';
import { ERROR_CODES, type ErrorCode } from '../error-codes.ts';
import { type HeaderName, headers, RATE_LIMIT } from './headers.ts';
import { exampleOf } from './schema.ts';
import type { JsonSchema, OpenApiExample, OpenApiResponse } from './types.ts';

interface ErrorAnswer {
  /** Its name among the shared answers. */
  readonly name: string;
  readonly description: string;
  readonly schema: 'Problem' | 'ValidationProblem' | 'CrashProblem';
  readonly headers: readonly HeaderName[];
  /** The codes that operations usually answer with it. */
  readonly codes: readonly ErrorCode[];
  /** Names of shared answers with other codes that many operations have. */
  readonly others?: Readonly<Record<string, readonly ErrorCode[]>>;
}

/** The answers that operations share, by status. */
const USUAL: Readonly<Record<number, ErrorAnswer>> = {
  401: {
    name: 'Unauthorized',
    description: 'No usable token, a token of the wrong type, or an owner who is not allowed to log in.',
    schema: 'Problem',
    headers: ['WWW-Authenticate'],
    codes: [
      ...(['token_type_refused', 'token_missing', 'token_malformed', 'token_invalid'] as const),
      ...(['token_expired', 'token_revoked', 'login_not_allowed'] as const),
    ],
  },
  403: {
    name: 'Forbidden',
    description:
      'Clearance or authority missing: `detail` says which level is needed, or over whom there is no authority.',
    schema: 'Problem',
    headers: [],
    codes: ['level_too_low'],
  },
  404: {
    name: 'NotFound',
    description: 'A record that the request names does not exist.',
    schema: 'Problem',
    headers: [],
    codes: ['not_found'],
  },
  409: {
    name: 'Conflict',
    description: 'The request contradicts what is stored.',
    schema: 'Problem',
    headers: [],
    codes: ['name_taken'],
  },
  410: {
    name: 'Gone',
    description: 'The feed does not go back that far, or does not reach it yet: read the lists again.',
    schema: 'Problem',
    headers: [],
    codes: ['resync'],
  },
  413: {
    name: 'TooLarge',
    description: 'The body has more than 1 MiB, or of a request to be forwarded more than 32 KiB.',
    schema: 'Problem',
    headers: [],
    codes: ['body_too_large'],
  },
  415: {
    name: 'UnsupportedEncoding',
    description: 'The body is compressed in a way that is not read.',
    schema: 'Problem',
    headers: [],
    codes: ['encoding_unsupported'],
  },
  422: {
    name: 'Invalid',
    description: 'Path, query, headers or body are not what the operation takes.',
    schema: 'ValidationProblem',
    headers: [],
    codes: ['invalid_request'],
  },
  429: {
    name: 'TooMany',
    description:
      'Too many requests: of this token or address in its minute, or more of something than one caller may have.',
    schema: 'Problem',
    headers: ['Retry-After', ...RATE_LIMIT],
    codes: ['rate_limited'],
    others: { TooManyOrWaiting: ['rate_limited', 'too_many_waiting'] },
  },
  500: {
    name: 'Crash',
    description: 'An unforeseen error; a crash report is stored.',
    schema: 'CrashProblem',
    headers: [],
    codes: ['internal_error'],
  },
  502: {
    name: 'BadGateway',
    description: 'A server that this one asked could not be reached, or gave no usable answer.',
    schema: 'Problem',
    headers: [],
    codes: ['provider_unavailable'],
  },
  503: {
    name: 'Unavailable',
    description: 'Not now: the database cannot be reached, or the error budget of the game is used up.',
    schema: 'Problem',
    headers: ['Retry-After'],
    codes: ['database_unavailable'],
  },
  504: {
    name: 'GatewayTimeout',
    description: 'A server that this one asked did not answer in time.',
    schema: 'Problem',
    headers: [],
    codes: ['provider_timeout'],
  },
};

/** Statuses whose codes an operation declares itself where they differ from the usual. */
const OWN = [404, 409, 502];

/** All codes that an operation can answer with a status. */
function codesOf(status: number, { access, codes = [] }: RouteMetadata): readonly ErrorCode[] {
  const own = codes.filter((code) => ERROR_CODES[code][0] === status);
  const usual = USUAL[status]?.codes ?? [];
  if (OWN.includes(status)) return own.length > 0 ? own : usual;
  if (access === 'public') return usual;
  const authority = status === 403 && access.authority !== undefined;
  const codesHere = [
    ...usual.filter((code) => isPossible(code, access)),
    ...(authority ? (['no_authority'] as const) : []),
    ...own,
  ];
  // Logging out never answers 403, but it is documented for it as for all operations with a token.
  return codesHere.length > 0 ? codesHere : usual;
}

function isPossible(code: ErrorCode, { tokens, level }: AccessRule): boolean {
  if (code === 'token_type_refused') return tokens.length < TOKEN_KINDS.length;
  return code !== 'level_too_low' || level > GUEST_LEVEL;
}

/** An answer with this status, for some of its codes. */
export function errorAnswer(
  status: number,
  codes: readonly ErrorCode[],
  own: { readonly description?: string; readonly schema?: JsonSchema } = {},
): OpenApiResponse {
  const usual = USUAL[status];
  const schema = own.schema ?? { $ref: `#/components/schemas/${usual?.schema}` };
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  return {
    description: own.description ?? usual?.description ?? '',
    headers: headers(...(usual?.headers ?? [])),
    content: { 'application/json': { schema, examples } },
  };
}

/** The answer of an operation with an error status; a reference where most operations share it. */
export function errorResponse(
  status: number,
  { description, ...schema }: JsonSchema,
  metadata: RouteMetadata & { readonly access: AccessRule },
): OpenApiResponse | { $ref: string } {
  const usual = USUAL[status];
  const { refusal = DYN_REFUSED } = metadata.access;
  const codes = codesOf(status, metadata);
  if (schema.$ref !== `#/components/schemas/${usual?.schema}`) {
    if (description === undefined) throw new Error(`No text for answers with status ${status}`);
    return errorAnswer(status, [...codes, 'provider_refused'], { description, schema });
  }
  const answer = errorAnswer(status, codes);
  if (status !== 401 || refusal === DYN_REFUSED) {
    const shared = usual && sharedOf(usual).find(([, those]) => those.join() === codes.join());
    return shared ? { $ref: `#/components/responses/${shared[0]}` } : answer;
  }
  const refused = {
    summary: ERROR_CODES.token_type_refused[1],
    value: problemOf('token_type_refused', refusal),
  };
  Object.assign(answer.content?.['application/json']?.examples ?? {}, { token_type_refused: refused });
  return answer;
}

/** The answers that are shared, by their names. */
export function sharedResponses(): Record<string, OpenApiResponse> {
  return Object.fromEntries(
    Object.entries(USUAL).flatMap(([status, usual]) =>
      sharedOf(usual).map(([name, codes]) => [name, errorAnswer(Number(status), codes)]),
    ),
  );
}

/** The shared answers with a status: their names and codes. */
function sharedOf({ name, codes, others = {} }: ErrorAnswer): (readonly [string, readonly ErrorCode[]])[] {
  return [[name, codes], ...Object.entries(others)];
}

// Examples -------------------------------------------------------------------------------------------------

/** Example values of `detail`, where they differ from the code's meaning. */
const DETAILS: Partial<Readonly<Record<ErrorCode, unknown>>> = {
  token_type_refused: DYN_REFUSED,
  level_too_low: "Insufficient clearance level: this needs 6, and the token's owner has 2.",
  no_authority: 'Insufficient clearance level: no write authority over alliance 99000001.',
  not_found: 'Could not find user 2112000099',
  name_taken: 'A group named "Scouts" exists already (upper and lower case count as the same).',
  resync: 'What came after event 40211 is not kept for the feed any more. Read the lists anew.',
  body_too_large: 'The request body is larger than 1 MiB.',
  encoding_unsupported: 'The body must be JSON in UTF-8, plain or compressed with gzip or deflate.',
  invalid_request: [{ loc: ['query', 'surprise'], msg: 'Unknown parameter', type: 'unrecognized_keys' }],
  rate_limited: 'Too many requests: this token may make 600 a minute.',
  provider_unavailable: 'The provider cannot be reached or gave an answer that cannot be used.',
  database_unavailable: 'The database cannot be reached at the moment.',
  database_not_migrated: 'The database lacks 2 migration(s).',
  encryption_key_missing:
    'This process lacks the encryption key 2026-a. Whoever runs the service has to add it.',
  voice_challenge_missing: 'Could not find challenge for user',
  voice_client_missing: 'Could not find corresponding teamspeak client',
};

function problemOf(code: ErrorCode, detail: unknown = ERROR_CODES[code][1]): object {
  return { detail, code };
}

/** Codes whose answers hold more than `detail` and `code`. */
const SCHEMAS: Partial<Readonly<Record<ErrorCode, string>>> = {
  internal_error: 'CrashProblem',
  provider_refused: 'ExternalForwardRefusal',
};

/** The examples that a part of the document refers to, by code. */
export function examplesFor(part: unknown): Record<string, OpenApiExample> {
  const wanted = new Set(
    [...JSON.stringify(part).matchAll(/"#\/components\/examples\/(\w+)"/g)].map(([, code]) => code),
  );
  const codes = (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => wanted.has(code));
  return Object.fromEntries(
    codes.map((code) => {
      const schema = SCHEMAS[code];
      const own = schema && exampleOf({ $ref: `#/components/schemas/${schema}` });
      return [code, { summary: ERROR_CODES[code][1], value: own ?? problemOf(code, DETAILS[code]) }];
    }),
  );
}
