/** Persons: the humans behind characters. They add visibility, eligibility and compliance, never authority. */
import { z } from 'zod';
import { level } from './access.ts';
import {
  c,
  component,
  DateTime,
  FlagInQuery,
  field,
  IdInBody,
  IdInUrl,
  Jwt,
  ObjectId,
  ObjectIdInUrl,
} from './common.ts';
import { errors } from './error-body.ts';
import { MAX_PAGE } from './paging.ts';
import { Name, text } from './text.ts';
import { UserShort } from './user.ts';

const ada = { character_id: 2112000001, character_name: 'Ada Vale' };
const brim = { character_id: 2112000002, character_name: 'Brim Okoro' };

export const PersonCharacter = component(
  z.object({
    user: UserShort,
    ownership: field(
      z.enum(['proven', 'stale', 'changed']),
      'proven: a sign-in of the last 90 days or a valid refresh token proves the owner. stale: neither does. changed: the game says that the character has a new owner, who has not signed in yet.',
    ),
    proven_on: field(DateTime.nullable(), 'When its present owner first signed in with it; null if never.'),
    tracking: field(z.enum(['valid', 'invalid', 'none']), 'State of its refresh tokens, as in tracking.'),
  }),
  'PersonCharacter',
  'A character of a person.',
  { user: ada, ownership: 'proven', proven_on: '2026-03-01T18:20:00.000Z', tracking: 'valid' },
);
export type PersonCharacter = z.infer<typeof PersonCharacter>;

export const Person = component(
  z.object({
    person_id: field(
      ObjectId,
      'Id of the person; that of a person of one character ends with its first link. Where characters are hidden it is that of the visible one with the smallest id alone: a common id would tell who belongs together.',
    ),
    main: field(UserShort.nullable(), 'The main character of the person; null if the caller may not see it.'),
    characters: field(
      z.array(PersonCharacter),
      'Those within reach, ordered by name ignoring case, then by id.',
    ),
    hidden: field(
      z.number().int().min(0),
      'How many more there are, beyond the read authority of the caller.',
    ),
  }),
  'Person',
  'One or more characters of one human.',
  {
    person_id: '66f2a1b3c4d5e6f708192a3e',
    main: ada,
    characters: [
      { user: ada, ownership: 'proven', proven_on: '2026-03-01T18:20:00.000Z', tracking: 'valid' },
      { user: brim, ownership: 'stale', proven_on: '2026-03-02T19:00:00.000Z', tracking: 'none' },
    ],
    hidden: 0,
  },
);
export type Person = z.infer<typeof Person>;

export const PersonSplit = component(
  z.object({
    person: field(Person, 'The person without them.'),
    split_off: field(Person, 'The person that they are now.'),
  }),
  'PersonSplit',
  'The two persons that one became.',
  {
    person: { person_id: '66f2a1b3c4d5e6f708192a3e', main: ada, characters: [], hidden: 0 },
    split_off: { person_id: '66f2a1b3c4d5e6f708192a3f', main: brim, characters: [], hidden: 0 },
  },
);
export type PersonSplit = z.infer<typeof PersonSplit>;

export const PersonChange = component(
  z.object({
    occurred_on: field(DateTime, 'When it happened.'),
    happened: field(
      z.enum(['linked', 'unlinked', 'owner_changed', 'deleted', 'merged', 'split']),
      'linked: proven by a user token. unlinked: taken out by one of the person. owner_changed: handed to another human. deleted: the user is gone. merged, split: by an administrator.',
    ),
    character: UserShort,
    from_person: field(ObjectId.nullable(), 'The person that it left; null if it was not linked.'),
    to_person: field(ObjectId.nullable(), 'The person that it joined; null if it is not linked now.'),
    by: field(UserShort.nullable(), 'Who did it; null for the service itself or a deleted user.'),
    reason: field(z.string().nullable(), 'The reason that an administrator gave.'),
  }),
  'PersonChange',
  'What happened to a character of a person.',
  {
    occurred_on: '2026-03-02T19:00:00.000Z',
    happened: 'linked',
    character: brim,
    from_person: null,
    to_person: '66f2a1b3c4d5e6f708192a3e',
    by: ada,
    reason: null,
  },
);
export type PersonChange = z.infer<typeof PersonChange>;

export const PostPersonCharacter = component(
  z
    .object({
      user_token: field(
        Jwt,
        'A user token of the other character, from a sign-in of the last 10 minutes through the same application.',
      ),
    })
    .strict(),
  'PostPersonCharacter',
  'The proof that another character is one’s own.',
  { user_token: 'eyJhbGciOiJFZERTQSJ9.e30.c2lnbmF0dXJl' },
);
export const PutPerson = component(
  z.object({ main: field(IdInBody, 'Id of the character of the person that becomes its main.') }).strict(),
  'PutPerson',
  'What to change about a person.',
  { main: 2112000001 },
);

const reason = field(
  text(1, 1000),
  "The reason; stored in the person's history.",
  'Both answered to one voice.',
);
const dryRun = field(z.boolean().nullish(), 'Answer what would change, without changing it.');

export const PostMerge = component(
  z
    .object({
      person_id: field(ObjectIdInUrl, 'The person whose characters are moved to this one.'),
      reason,
      dry_run: dryRun,
    })
    .strict(),
  'PostMerge',
  'Which person to merge into another one, and why.',
  { person_id: '66f2a1b3c4d5e6f708192a3f', reason: 'Both answered to one voice.' },
);
export type PostMerge = z.infer<typeof PostMerge>;

export const PostSplit = component(
  z
    .object({
      characters: field(
        z.array(IdInBody).min(1).max(MAX_PAGE),
        'Ids of the characters that become a person of their own.',
      ),
      reason,
      dry_run: dryRun,
    })
    .strict(),
  'PostSplit',
  'Which characters to take out of a person, and why.',
  { characters: [2112000002], reason: 'Sold last year.' },
);
export type PostSplit = z.infer<typeof PostSplit>;

/** Maximum number of times in an hour that a person may choose another main: an event of each is kept for years. */
export const MOST_MAINS = 10;

const byPersonId = z.object({
  person_id: field(ObjectIdInUrl, 'Id of the person.', '66f2a1b3c4d5e6f708192a3e'),
});
const PERSON = 'The person as it is now.';
const Tried = z.object({
  dry_run: field(FlagInQuery, 'The same as `dry_run` in the body: either is enough.', true),
});

export const personRoutes = c.router({
  current: {
    method: 'GET',
    path: '/person/current',
    summary: 'Get the person of the calling token',
    description:
      "The person of the token's owner with all its characters: one's own are never hidden. Who never linked anything is a person of one.",
    responses: { 200: field(Person, 'The person.'), ...errors() },
    metadata: { positioned: true, operationId: 'getCurrentPerson', ...level(0) },
  },
  link: {
    method: 'POST',
    path: '/person/current/character',
    summary: 'Link another character',
    description:
      'Moves the character of `user_token` to the person of the calling token, and no other one. The token has to come from a sign-in of the last 10 minutes through the application that the calling token came from; it proves once. The main of a person with more characters is a 409. Levels, groups and what tokens may do stay with each character: a person adds no authority.',
    body: PostPersonCharacter,
    responses: { 200: field(Person, PERSON), ...errors(409, 413, 415) },
    metadata: {
      operationId: 'linkCharacter',
      codes: ['main_kept'],
      access: {
        tokens: ['use'],
        level: 0,
        refusal: 'Must use a user token for this path.',
        besides: 'The owner of `user_token` needs level 0, too, and the built-in user is nobody’s character.',
      },
    },
  },
  unlink: {
    method: 'DELETE',
    path: '/person/current/character/:character_id',
    summary: 'Unlink a character',
    description:
      'The character is a person of its own afterwards. The main of a person with more characters is a 409: another one has to be the main before.',
    pathParams: z.object({ character_id: field(IdInUrl, 'Id of a character of the person.', 2112000002) }),
    responses: { 200: field(Person, PERSON), ...errors(404, 409, 413, 415) },
    metadata: { operationId: 'unlinkCharacter', codes: ['main_kept'], ...level(0) },
  },
  update: {
    method: 'PUT',
    path: '/person/current',
    summary: 'Choose the main character',
    description: `A character that does not belong to the person is a 404. A person can choose another main ${MOST_MAINS} times in an hour; one more is a 429.`,
    body: PutPerson,
    responses: { 200: field(Person, PERSON), ...errors(404, 413, 415) },
    metadata: { operationId: 'updateCurrentPerson', ...level(0) },
  },
  merge: {
    method: 'POST',
    path: '/person/:person_id/merge',
    summary: 'Merge another person into this one',
    description: 'The main of this person stays. A dry run answers what would change, without changing it.',
    pathParams: byPersonId,
    query: Tried,
    body: PostMerge,
    responses: { 200: field(Person, PERSON), ...errors(404, 413, 415) },
    metadata: { operationId: 'mergePersons', ...level(9) },
  },
  split: {
    method: 'POST',
    path: '/person/:person_id/split',
    summary: 'Split characters off a person',
    description:
      'The characters become a person of their own, together. A main that goes is followed by the character that has been proven longest. All of the characters are a 422, one of another person is a 404. A dry run answers what would be, and changes nothing.',
    pathParams: byPersonId,
    query: Tried,
    body: PostSplit,
    responses: { 200: field(PersonSplit, 'The two persons.'), ...errors(404, 413, 415) },
    metadata: { operationId: 'splitPerson', ...level(9) },
  },
  history: {
    method: 'GET',
    path: '/person/:person_id/history',
    summary: 'List what happened to a person',
    description: `The last ${MAX_PAGE} times that a character came or went, newest first. Kept for three years, whatever became of the person. A person that never was is a 404.`,
    pathParams: byPersonId,
    responses: { 200: field(z.array(PersonChange), 'What happened.'), ...errors(404) },
    metadata: { operationId: 'listPersonHistory', ...level(9) },
  },
});

/** The route that finds a user's person, which is below the path of users. */
export const personOfUserRoute = {
  method: 'GET',
  path: '/user/:character/person',
  summary: 'Get the person of a user',
  description:
    'The person that a character belongs to. Characters beyond the read authority of the caller are counted only; those of one’s own person never are.',
  pathParams: z.object({
    character: field(Name, 'Name of the character, exactly; or else its id, in decimal digits.', 'Ada Vale'),
  }),
  responses: { 200: field(Person, 'The person.'), ...errors(404) },
  metadata: {
    positioned: true,
    operationId: 'getPersonOfUser',
    ...level(0, { besides: 'Read authority over the character, or a token of the same person.' }),
  },
} as const;
