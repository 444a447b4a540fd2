/** Compliance: who of a corporation, alliance or coalition grants what is required, person by person. */
import { z } from 'zod';
import { level } from './access.ts';
import { component, DateTime, field, IdInUrl, ObjectId, ObjectIdInUrl } from './common.ts';
import { errors } from './error-body.ts';
import { CorporationShort } from './membership.ts';
import { ExtScope } from './scopes.ts';
import { UserShort } from './user.ts';

const ada = { character_id: 2112000001, character_name: 'Ada Vale' };

/** Examples of the beginning of compliance, and of its days, as CSV. */
const CSV = { 'text/csv': 'person_id,main,character_id,…\r\n' };
const CSV_OF_DAYS = { 'text/csv': 'day,persons,ok,grace,failing,unknown,never_signed_in\r\n' };

export const ComplianceStatus = component(
  z.enum(['ok', 'grace', 'failing', 'unknown']),
  'ComplianceStatus',
  'ok: a valid refresh token covers what is required. grace: none does, for less than three days. failing: for longer. unknown: a refresh was cut off, and its token may or may not live.',
  'grace',
);

export const ComplianceReason = component(
  z.enum(['no_grant', 'grant_invalid', 'scopes_missing', 'refresh_cut_off']),
  'ComplianceReason',
  'no_grant: there is no refresh token. grant_invalid: none is valid. scopes_missing: no valid one covers what is required. refresh_cut_off: it is unknown whether the last one is still valid, because its refresh was interrupted.',
  'scopes_missing',
);

export const ComplianceCharacter = component(
  z.object({
    user: UserShort,
    status: ComplianceStatus,
    reason: field(ComplianceReason.nullable(), 'What is wrong; null when nothing is.'),
    missing_scopes: field(
      z.array(ExtScope),
      'Required scopes that the best valid refresh token does not have, sorted.',
    ),
    since: field(
      DateTime.nullable(),
      'Since when it has not complied, as far as the hourly job has noticed: the beginning of its grace. Null where it complies, or that is unknown.',
    ),
    days: field(z.number().int().min(0).nullable(), 'Whole days since then.'),
    grace_until: field(DateTime.nullable(), 'When grace ends, or ended.'),
  }),
  'ComplianceCharacter',
  'A character of the corporation, alliance or coalition, and how it complies.',
  {
    user: ada,
    status: 'grace',
    reason: 'scopes_missing',
    missing_scopes: ['ext-mail.read_mail.v1'],
    since: '2026-03-01T18:20:00.000Z',
    days: 1,
    grace_until: '2026-03-04T18:20:00.000Z',
  },
);
export type ComplianceCharacter = z.infer<typeof ComplianceCharacter>;

export const CompliancePerson = component(
  z.object({
    person_id: field(
      ObjectId,
      'Id of the person; where some of its characters are hidden from the caller, that of the visible one with the smallest id alone.',
    ),
    main: field(UserShort.nullable(), 'The main character of the person; null if the caller may not see it.'),
    status: field(ComplianceStatus, 'The worst of its characters here: failing, then unknown, grace, ok.'),
    characters: field(
      z.array(ComplianceCharacter),
      'Its characters here, ordered by name ignoring case, then by id.',
    ),
  }),
  'CompliancePerson',
  'A person with a character there.',
  { person_id: '66f2a1b3c4d5e6f708192a3e', main: ada, status: 'ok', characters: [] },
);
export type CompliancePerson = z.infer<typeof CompliancePerson>;

export const Compliance = component(
  z.object({
    as_of: field(DateTime, 'When it was so.'),
    persons: field(
      z.array(CompliancePerson),
      'Everybody with a character there, ordered by the first of them.',
    ),
    never_signed_in: field(
      z.array(UserShort),
      'Members that the game knows and that were never here, ordered by name.',
    ),
    unlisted: field(
      z.array(CorporationShort),
      'Corporations whose list of members cannot be read, as no member granted `ext-corporations.read_corporation_membership.v1`: more members may never have signed in.',
    ),
  }),
  'Compliance',
  'How the members of a corporation, alliance or coalition comply.',
  { as_of: '2026-03-02T19:00:00.000Z', persons: [], never_signed_in: [ada], unlisted: [] },
);
export type Compliance = z.infer<typeof Compliance>;

const count = z.number().int().min(0);

export const ComplianceDay = component(
  z.object({
    day: field(z.string().regex(/^\d{4}-\d\d-\d\d$/), 'The day in UTC; the counts are those at its end.'),
    persons: field(count, 'Persons with a character there.'),
    ok: field(count, 'Persons whose characters there all comply.'),
    grace: field(count, 'Persons whose worst character there is in grace.'),
    failing: field(count, 'Persons with a failing character there.'),
    unknown: field(count, 'Persons whose worst character there is unknown.'),
    never_signed_in: field(count, 'Members that never signed in.'),
  }),
  'ComplianceDay',
  'How many persons complied on a day.',
  { day: '2026-03-02', persons: 42, ok: 40, grace: 1, failing: 1, unknown: 0, never_signed_in: 7 },
);
export type ComplianceDay = z.infer<typeof ComplianceDay>;

const TELLS =
  'Person by person, with the reasons and the days. Guests are not members, and characters that the game deleted never count. As JSON or as a table with a line for each character (`Accept: text/csv`).';
const SERIES =
  'An entry for each day of the last two years on which compliance was counted, the latest first. As JSON or as a table with a line for each day (`Accept: text/csv`).';

export const corporationCompliance = {
  compliance: {
    method: 'GET',
    path: '/corporation/:corporation_id/compliance',
    summary: 'Tell how a corporation complies',
    description: TELLS,
    pathParams: z.object({ corporation_id: field(IdInUrl, 'Id of the corporation in the game.', 98000001) }),
    responses: { 200: field(Compliance, 'The members.'), ...errors(404) },
    metadata: {
      positioned: true,
      operationId: 'getCorporationCompliance',
      codes: ['too_many_waiting'],
      also: CSV,
      ...level(1, { authority: { over: 'corporation', mode: 'read', param: 'corporation_id' } }),
    },
  },
  complianceDays: {
    method: 'GET',
    path: '/corporation/:corporation_id/compliance/day',
    summary: 'Tell how a corporation complied day by day',
    description: SERIES,
    pathParams: z.object({ corporation_id: field(IdInUrl, 'Id of the corporation in the game.', 98000001) }),
    responses: { 200: field(z.array(ComplianceDay), 'The days.'), ...errors(404) },
    metadata: {
      positioned: true,
      operationId: 'listCorporationComplianceDays',
      also: CSV_OF_DAYS,
      ...level(1, { authority: { over: 'corporation', mode: 'read', param: 'corporation_id' } }),
    },
  },
} as const;

export const allianceCompliance = {
  compliance: {
    method: 'GET',
    path: '/alliance/:alliance_id/compliance',
    summary: 'Tell how an alliance complies',
    description: TELLS,
    pathParams: z.object({ alliance_id: field(IdInUrl, 'Id of the alliance in the game.', 99000001) }),
    responses: { 200: field(Compliance, 'The members.'), ...errors(404) },
    metadata: {
      positioned: true,
      operationId: 'getAllianceCompliance',
      codes: ['too_many_waiting'],
      also: CSV,
      ...level(3, { authority: { over: 'alliance', mode: 'read', param: 'alliance_id' } }),
    },
  },
  complianceDays: {
    method: 'GET',
    path: '/alliance/:alliance_id/compliance/day',
    summary: 'Tell how an alliance complied day by day',
    description: SERIES,
    pathParams: z.object({ alliance_id: field(IdInUrl, 'Id of the alliance in the game.', 99000001) }),
    responses: { 200: field(z.array(ComplianceDay), 'The days.'), ...errors(404) },
    metadata: {
      positioned: true,
      operationId: 'listAllianceComplianceDays',
      also: CSV_OF_DAYS,
      ...level(3, { authority: { over: 'alliance', mode: 'read', param: 'alliance_id' } }),
    },
  },
} as const;

const coalition = level(5, {
  authority: { over: 'coalition', mode: 'read', param: 'coalition_id' },
  besides: "Below level 7 that means: the caller's own corporation or alliance is a member of it.",
});
const byCoalition = z.object({
  coalition_id: field(ObjectIdInUrl, 'Id of the coalition.', '66f2a1b3c4d5e6f708192a3b'),
});

export const coalitionCompliance = {
  compliance: {
    method: 'GET',
    path: '/coalition/:coalition_id/compliance',
    summary: 'Tell how a coalition complies',
    description: TELLS,
    pathParams: byCoalition,
    responses: { 200: field(Compliance, 'The members.'), ...errors(404) },
    metadata: {
      positioned: true,
      operationId: 'getCoalitionCompliance',
      codes: ['too_many_waiting'],
      also: CSV,
      ...coalition,
    },
  },
  complianceDays: {
    method: 'GET',
    path: '/coalition/:coalition_id/compliance/day',
    summary: 'Tell how a coalition complied day by day',
    description: SERIES,
    pathParams: byCoalition,
    responses: { 200: field(z.array(ComplianceDay), 'The days.'), ...errors(404) },
    metadata: {
      positioned: true,
      operationId: 'listCoalitionComplianceDays',
      also: CSV_OF_DAYS,
      ...coalition,
    },
  },
} as const;
