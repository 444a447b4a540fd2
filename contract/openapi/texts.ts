/** Texts of the OpenAPI document that do not belong to one operation. */

import { type HeaderName, headers, RATE_LIMIT } from './headers.ts';
import type { OpenApiInfo, OpenApiResponse, Tag } from './types.ts';

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

Checks come in this order: token (401), clearance (403), form of the request (422), existence of the record (404), authority over it (403). Each operation publishes its rule as \`x-access\`. A write is checked again when it is executed, by the caller's level and memberships at that time.

A token whose owner may not log in is a 401. At least one group or coalition of the owner has to let its members in, and none may keep them out; a token of levels 9 and 10 or of the built-in user always works. For a user token that was made from a permanent one, the owner of that one counts.

## Conventions

- Errors are JSON: \`detail\` says what is wrong for people, \`code\` for programs (ErrorCode lists all of them). An unknown path is a 404; a known one with the wrong method is a 405 with \`Allow\`.
- Every answer carries \`X-Request-Id\`: quote it when asking for help.
- Each token has a limit of requests per minute (600 unless the operator chose otherwise), a dynamic app token ten times as many; requests without a usable token are counted by address. The minute begins with the first request. \`RateLimit-Remaining\` and \`RateLimit-Reset\` show the state; beyond the limit the answer is a 429 with \`Retry-After\`.
- In a request, null means the same as leaving the field out; an empty list is a list. Unknown fields and query parameters are refused, and so is a parameter that is given twice.
- A body is JSON in UTF-8, whatever its content type says, plain or compressed with gzip or deflate: at most 1 MiB, for a request to be forwarded 32 KiB. It holds at most 20,000 values in all, 10,000 elements in a list, 100 fields in an object and 32 levels; the first excess ends it, before anything else is looked at.
- Times are ISO 8601 in UTC with milliseconds. Ids of the game are whole numbers up to 2^53 − 1; coalitions, groups, applications, persons, webhooks, OpenID Connect clients and crash reports are named by 24 hexadecimal digits.
- Scopes are named after the provider's, with \`ext-\` in place of its own prefix.`,
  contact: { name: 'The maintainers of castellan', url: 'https://github.com/castellan/castellan/issues' },
  license: { name: 'MIT', identifier: 'MIT' },
};

/** URL of the guides. */
export const GUIDES = 'https://github.com/castellan/castellan/blob/main/docs';

/** Tags with their descriptions and guides. */
const GUIDED: readonly (readonly [tag: string, description: string, guide: string])[] = [
  ['token', 'Tokens and sign-in.', 'signing-in'],
  ['callback', 'Where the sign-on provider sends the browser.', 'signing-in'],
  ['user', 'Game characters and their clearance.', 'access'],
  ['person', 'Persons: characters of one human, without any authority of their own.', 'people'],
  ['corporation', 'Corporations, what they require of their members, and their guests.', 'access'],
  ['alliance', 'Alliances of corporations.', 'access'],
  ['coalition', 'Coalitions of alliances and corporations.', 'access'],
  ['group', 'Groups of users.', 'groups'],
  ['application', 'Applications to join a group, and what became of them.', 'groups'],
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

const PAGES: Readonly<Record<number, string>> = {
  400: 'Parameters missing, or a sign-in that is unknown, used or expired.',
  403: 'Cancelled, not allowed to log in, or too few scopes granted.',
  429: 'Too many requests.',
  500: 'An unforeseen error; a crash report is stored.',
  502: 'The provider is out of order.',
  503: 'The database cannot be reached.',
};

/** An HTML page, which only the sign-in callback answers with (D2). */
export function page(status: number): OpenApiResponse {
  const retry: HeaderName[] = status === 429 || status === 503 ? ['Retry-After'] : [];
  if (status === 429) retry.push(...RATE_LIMIT);
  return {
    description: PAGES[status] ?? '',
    headers: headers(...retry),
    content: { 'text/html': { schema: { type: 'string' }, example: '<!doctype html>…' } },
  };
}
