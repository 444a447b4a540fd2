/** Histories: data collected for each character at intervals. */
import { extendApi } from '@anatine/zod-openapi';
import { z } from 'zod';
import { level } from './access.ts';
import { c, component, DateTime, field, Id, IdInUrl } from './common.ts';
import { errors } from './error-body.ts';
import { PAGE_SIZE, PageHeader } from './paging.ts';
import { UserShort } from './user.ts';

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
    recipient_name: field(z.string(), '`Mailing list N` or `#N` if the name is not available.'),
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

const characterId = field(IdInUrl, 'Id of the character.', 2112000001);
const byCharacter = z.object({ character_id: characterId });

const history = level(0, { authority: { over: 'user', mode: 'read', param: 'character_id' } });

const HISTORY = `Newest first, ${PAGE_SIZE} on a page; \`X-Pages\` counts the pages. A page beyond the last is a 422; an empty history has one empty page.`;

export const historyRoutes = c.router({
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
    metadata: {
      operationId: 'getMail',
      codes: ['not_found', 'no_refresh_token', 'caller_errors_used_up', 'provider_limits_used_up'],
      ...history,
    },
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
      'Asks the game with the refresh token of the character and adds the answer to the location history; after a hundred entries in an hour, one that an entry of the last five seconds has already is answered with that entry. 404 where no valid refresh token has the scopes that it needs.',
    pathParams: byCharacter,
    body: c.noBody(),
    responses: { 200: field(CharacterLocation, 'The location.'), ...errors(404, 413, 415, 502, 504) },
    metadata: {
      operationId: 'storeLocation',
      codes: [
        ...(['not_found', 'no_refresh_token', 'caller_errors_used_up'] as const),
        ...(['provider_limits_used_up', 'encryption_key_missing'] as const),
      ],
      ...history,
    },
  },
});
