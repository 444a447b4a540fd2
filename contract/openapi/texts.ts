/** The words of the OpenAPI document that belong to no single operation. */

import { API_VERSION } from '../version.ts';
import type { OpenApiHeader, OpenApiInfo, OpenApiResponse, Tag } from './types.ts';

export const INFO: Omit<OpenApiInfo, 'version'> = {
  title: 'castellan',
  summary: 'Who belongs to whom, whose token still works, who may see what.',
  description: `Keeps a registry of game characters, corporations, alliances, coalitions and groups, and decides what each caller may do.

## Tokens

Every operation takes a token in the header \`Authorization: Bearer <JWT>\`, but for the one that the sign-on provider calls.

- A **dynamic app token** (\`dyn\`) belongs to an application that signs users in. It can start sign-ins and nothing else.
- A **permanent app token** (\`per\`) belongs to an application that acts by itself, with the clearance of its owner.
- A **user token** (\`use\`) is what a sign-in ends with.

A token counts as long as it is stored: deleting it, or the token that it descends from, ends it at once.

## Clearance

Levels are whole numbers: -1 guest · 0 public data and one's own · 1 and 2 read and write in one's corporation · 3 and 4 alliance · 5 and 6 coalition · 7 and 8 everybody registered here · 9 administration · 10 superuser.

Where an operation asks for **authority** besides, distance decides. To another user it is 0 for oneself, 1 in one corporation, 3 in one alliance, 5 with a coalition in common, else 7; to a corporation 1 for one's own, then likewise; to an alliance 3 for one's own, then likewise; to a coalition 5 where one's own corporation or alliance is a member, else 7. Read authority needs a level of at least the distance, or 7; write authority one more than the distance, or 8.

Checks come in this order: token (401), clearance (403), form of the request (422), existence of the record (404), authority over it (403). Each operation publishes its rule as \`x-access\`. A write is judged once more when its turn comes, on what its caller may do by then.

A token whose owner may not log in is a 401. At least one group or coalition of the owner has to let its members in, and none may keep them out; a token of levels 9 and 10 or of the built-in user always works. For a user token that was made from a permanent one, the owner of that one counts.

## Conventions

- Errors are JSON: \`detail\` says what is wrong for people, \`code\` for programs (ErrorCode lists all of them). An unknown path is a 404; a known one with the wrong method is a 405 with \`Allow\`.
- Every answer carries \`X-Request-Id\`: quote it when asking for help.
- Each token may make so many requests a minute (600 unless the operator chose otherwise), a dynamic app token ten times as many; requests without a usable token are counted by address. The minute begins with the first request. \`RateLimit-Remaining\` and \`RateLimit-Reset\` say how it stands; beyond it the answer is a 429 with \`Retry-After\`.
- In a request, null means the same as leaving the field out; an empty list is a list. Unknown fields and query parameters are refused, and so is a parameter that is given twice.
- A body is JSON in UTF-8, whatever its content type says, plain or compressed with gzip or deflate: at most 1 MiB, for a request to be forwarded 32 KiB. It holds at most 20,000 values in all, 10,000 elements in a list, 100 fields in an object and 32 levels; the first excess ends it, before anything else is looked at.
- Times are ISO 8601 in UTC with milliseconds. Ids of the game are whole numbers up to 2^53 − 1; coalitions, groups and crash reports are named by 24 hexadecimal digits.
- Scopes are named after the provider's, with \`ext-\` in place of its own prefix.`,
  contact: { name: 'The maintainers of castellan', url: 'https://github.com/castellan/castellan/issues' },
  license: { name: 'MIT', identifier: 'MIT' },
};

/** Where the guides are read. */
export const GUIDES = 'https://github.com/castellan/castellan/blob/main/docs';

/** What there is, each with the guide that tells more of it. */
const GUIDED: readonly (readonly [tag: string, description: string, guide: string])[] = [
  ['token', 'Tokens and sign-in.', 'signing-in'],
  ['callback', 'Where the sign-on provider sends the browser.', 'signing-in'],
  ['user', 'Game characters and their clearance.', 'access'],
  ['person', 'Persons: characters of one human, without any authority of their own.', 'people'],
  ['corporation', 'Corporations, what they require of their members, and their guests.', 'access'],
  ['alliance', 'Alliances of corporations.', 'access'],
  ['coalition', 'Coalitions of alliances and corporations.', 'access'],
  ['group', 'Groups of users.', 'access'],
  ['application', 'Wishes to join a group, and what became of them.', 'groups'],
  ['event', 'What happens, to be followed.', 'events'],
  ['audit', 'What happened, to be looked up.', 'events'],
  ['webhook', 'What happens, sent to where it is wanted.', 'events'],
  ['ext', 'Data of the game: forwarded requests.', 'external-data'],
  ['history', 'What was collected of each character from hour to hour.', 'external-data'],
  ['oidc', 'Applications that let people sign in by OpenID Connect.', 'connecting'],
  ['voice', 'Proving who is behind a client of the voice server.', 'voice'],
  ['system', 'Configuration and scheduled jobs.', 'jobs'],
  ['crash', 'Reports of unforeseen errors.', 'operating'],
  ['service', 'The service itself: health, version, documentation, keys. No token needed.', 'operating'],
];

export const TAGS: readonly Tag[] = GUIDED.map(([name, description, guide]) => ({
  name,
  description,
  externalDocs: { description: `Guide: ${guide}`, url: `${GUIDES}/${guide}.md` },
}));

export const HEADERS = {
  'X-Request-Id': {
    description: 'Names this request in the logs.',
    schema: { type: 'string' },
    example: '0f8b6d0e-4c1a-4f5e-9d3b-2a1c0e9f8d7b',
  },
  'X-Api-Version': {
    description: 'Version of the service that answers.',
    schema: { type: 'string' },
    example: API_VERSION,
  },
  'X-Pages': {
    description: 'How many pages there are; at least 1.',
    schema: { type: 'integer', minimum: 1 },
    example: 3,
  },
  'X-Next': {
    description: 'Value of `after` for the next page; absent on the last one.',
    schema: { type: 'string' },
    example: 'WyJhZGEgdmFsZSIsMjExMjAwMDAwMV0',
  },
  'Castellan-Position': {
    description:
      'The position of an event: what happened until then is in this answer. `GET /event?after=` goes on from there.',
    schema: { type: 'integer', minimum: 0 },
    example: 48213,
  },
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'integer', minimum: 0 },
    example: 12,
  },
  'RateLimit-Limit': {
    description: 'Requests that the token, or the address without one, may make in a minute.',
    schema: { type: 'integer', minimum: 1 },
    example: 600,
  },
  'RateLimit-Remaining': {
    description: 'How many of them are left.',
    schema: { type: 'integer', minimum: 0 },
    example: 0,
  },
  'RateLimit-Reset': {
    description: 'Seconds until the minute ends.',
    schema: { type: 'integer', minimum: 1 },
    example: 12,
  },
  'RateLimit-Policy': {
    description: 'The limit, and the length of its window in seconds.',
    schema: { type: 'string' },
    example: '600;w=60',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: { type: 'string' },
    example: 'Bearer',
  },
  Location: {
    description: "The application's callback with `state_code` and `user_token` in its query.",
    schema: { type: 'string', format: 'uri' },
    example: 'https://fleet.example/castellan?state_code=0b7c8f7e-6f5d-4c3b-9a21-0f1e2d3c4b5a&user_token=JWT',
  },
} satisfies Record<string, OpenApiHeader>;

type HeaderName = keyof typeof HEADERS;

/** What every answer says that was counted (D60). */
const RATE_LIMIT = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Policy'] as const;

export function headers(...names: HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(
    ['X-Request-Id', 'X-Api-Version', ...names].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  );
}

export function problem(
  description: string,
  example: unknown,
  schema: string,
  ...more: HeaderName[]
): OpenApiResponse {
  return {
    description,
    headers: headers(...more),
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, example } },
  };
}

/** The answers that all operations share, by status. */
export const ERROR_RESPONSES: Readonly<Record<number, { name: string; response: OpenApiResponse }>> = {
  401: {
    name: 'Unauthorized',
    response: problem(
      'No usable token, a token of the wrong type, or an owner who is not allowed to log in.',
      { detail: 'Cannot use a dynamic app token for this path.', code: 'token_type_refused' },
      'Problem',
      'WWW-Authenticate',
    ),
  },
  403: {
    name: 'Forbidden',
    response: problem(
      'Clearance or authority missing: `detail` says which level is needed, or over whom there is no authority.',
      {
        detail: "Insufficient clearance level: this needs 6, and the token's owner has 2.",
        code: 'level_too_low',
      },
      'Problem',
    ),
  },
  404: {
    name: 'NotFound',
    response: problem(
      'A record that the request names does not exist.',
      { detail: 'Could not find user 2112000099', code: 'not_found' },
      'Problem',
    ),
  },
  409: {
    name: 'Conflict',
    response: problem(
      'The request contradicts what is stored.',
      {
        detail: 'A group named "Scouts" exists already (upper and lower case count as the same).',
        code: 'name_taken',
      },
      'Problem',
    ),
  },
  410: {
    name: 'Gone',
    response: problem(
      'The feed does not go back that far: read the lists anew.',
      { detail: 'The feed begins after position 40211: read the lists anew.', code: 'resync' },
      'Problem',
    ),
  },
  413: {
    name: 'TooLarge',
    response: problem(
      'The body has more than 1 MiB, or of a request to be forwarded more than 32 KiB.',
      { detail: 'The request body is larger than 1 MiB.', code: 'body_too_large' },
      'Problem',
    ),
  },
  415: {
    name: 'UnsupportedEncoding',
    response: problem(
      'The body is compressed in a way that is not read.',
      {
        detail: 'The body must be JSON in UTF-8, plain or compressed with gzip or deflate.',
        code: 'encoding_unsupported',
      },
      'Problem',
    ),
  },
  422: {
    name: 'Invalid',
    response: problem(
      'Path, query, headers or body are not what the operation takes.',
      {
        detail: [{ loc: ['body', 'ticker'], msg: 'Must not be empty', type: 'too_small' }],
        code: 'invalid_request',
      },
      'ValidationProblem',
    ),
  },
  429: {
    name: 'TooMany',
    response: problem(
      'Too many requests: of this token or address in its minute, or more of something than one caller may have.',
      { detail: 'Too many requests: this token may make 600 a minute.', code: 'rate_limited' },
      'Problem',
      'Retry-After',
      ...RATE_LIMIT,
    ),
  },
  500: {
    name: 'Crash',
    response: problem(
      'An error that nobody foresaw; a report is stored.',
      {
        detail: 'Internal Server Error',
        code: 'internal_error',
        crash_report_id: '66f2a1b3c4d5e6f708192a3b',
      },
      'CrashProblem',
    ),
  },
  502: {
    name: 'BadGateway',
    response: problem(
      'A server that this one asked could not be reached, or gave no usable answer.',
      {
        detail: 'The provider cannot be reached or gave an answer that cannot be used.',
        code: 'provider_unavailable',
      },
      'Problem',
    ),
  },
  503: {
    name: 'Unavailable',
    response: problem(
      'Not now: the database cannot be reached, or the error budget of the game is used up.',
      { detail: 'The database cannot be reached at the moment.', code: 'database_unavailable' },
      'Problem',
      'Retry-After',
    ),
  },
  504: {
    name: 'GatewayTimeout',
    response: problem(
      'A server that this one asked did not answer in time.',
      { detail: 'The provider did not answer in time.', code: 'provider_timeout' },
      'Problem',
    ),
  },
};

const PAGES: Readonly<Record<number, string>> = {
  400: 'Parameters missing, or a sign-in that is unknown, used or expired.',
  403: 'Cancelled, not allowed to log in, or too few scopes granted.',
  429: 'Too many requests.',
  500: 'An error that nobody foresaw; a report is stored.',
  502: 'The provider is out of order.',
  503: 'The database cannot be reached.',
};

/** A page for people: the provider callback alone answers in HTML (D2). */
export function page(status: number): OpenApiResponse {
  const retry: HeaderName[] = status === 429 || status === 503 ? ['Retry-After'] : [];
  if (status === 429) retry.push(...RATE_LIMIT);
  return {
    description: PAGES[status] ?? '',
    headers: headers(...retry),
    content: { 'text/html': { schema: { type: 'string' }, example: '<!doctype html>…' } },
  };
}
