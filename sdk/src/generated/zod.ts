// Written by `npm run generate` from the contract; changes here are lost.
import { z } from 'zod';

/** Counts characters as the service does, by code points: an emoji is one, and two UTF-16 units. */
const text = (least: number, most: number) =>
  z.string().regex(new RegExp(`^[\\s\\S]{${least},${most}}$`, 'u'), `Must have ${least} to ${most} characters`);

// The schemas name their types, because those that a compiler infers are written for one major version of Zod alone.
type Strings<T extends string> = z.ZodString extends { readonly _zod: unknown } ? { [K in T]: K } : [T, ...T[]];
type Enum<T extends string> = z.ZodEnum<Strings<T>>;

/** Who did something. */
export const Actor: z.ZodObject<{
  /** A user by a user token or a sign-in, an application by its own token, a job, the game, or a command beside the service. */
  kind: Enum<'user' | 'app' | 'job' | 'provider' | 'cli'>;
  /** The user who is responsible for it; null where there is none. */
  character_id: z.ZodNullable<z.ZodNumber>;
  /** The uuid of the token that was used. */
  token: z.ZodNullable<z.ZodString>;
  /** The application token that this one descends from. */
  app_token: z.ZodNullable<z.ZodString>;
  /** The character on whose behalf the game's API was requested. */
  on_behalf_of: z.ZodNullable<z.ZodNumber>;
}> = z.object({
  kind: z.enum([
    'user',
    'app',
    'job',
    'provider',
    'cli',
  ]),
  character_id: z.number().int().nullable(),
  token: z.string().nullable(),
  app_token: z.string().nullable(),
  on_behalf_of: z.number().int().nullable(),
});

/** A user by id and name. */
export const UserShort: z.ZodObject<{
  /** Id of the character; 0 is the built-in user. */
  character_id: z.ZodNumber;
  /** Name of the character. */
  character_name: z.ZodString;
}> = z.object({
  character_id: z.number().int(),
  character_name: z.string(),
});

/** A permission that a player grants at the provider, over the external data of one character. The list grows: pass over scopes that you do not know. */
export const ExtScope: Enum<'esi.activity.char:read' | 'esi.cosmetic.char:read' | 'ext-access.read_lists.v1' | 'ext-activities.read_character.v1' | 'ext-alliances.read_contacts.v1' | 'ext-assets.read_assets.v1' | 'ext-assets.read_corporation_assets.v1' | 'ext-calendar.read_calendar_events.v1' | 'ext-calendar.respond_calendar_events.v1' | 'ext-characters.read_agents_research.v1' | 'ext-characters.read_blueprints.v1' | 'ext-characters.read_contacts.v1' | 'ext-characters.read_corporation_roles.v1' | 'ext-characters.read_fatigue.v1' | 'ext-characters.read_freelance_jobs.v1' | 'ext-characters.read_fw_stats.v1' | 'ext-characters.read_loyalty.v1' | 'ext-characters.read_medals.v1' | 'ext-characters.read_notifications.v1' | 'ext-characters.read_standings.v1' | 'ext-characters.read_titles.v1' | 'ext-characters.write_contacts.v1' | 'ext-clones.read_clones.v1' | 'ext-clones.read_implants.v1' | 'ext-contracts.read_character_contracts.v1' | 'ext-contracts.read_corporation_contracts.v1' | 'ext-corporations.read_blueprints.v1' | 'ext-corporations.read_contacts.v1' | 'ext-corporations.read_container_logs.v1' | 'ext-corporations.read_corporation_membership.v1' | 'ext-corporations.read_divisions.v1' | 'ext-corporations.read_facilities.v1' | 'ext-corporations.read_freelance_jobs.v1' | 'ext-corporations.read_fw_stats.v1' | 'ext-corporations.read_medals.v1' | 'ext-corporations.read_projects.v1' | 'ext-corporations.read_standings.v1' | 'ext-corporations.read_starbases.v1' | 'ext-corporations.read_structures.v1' | 'ext-corporations.read_titles.v1' | 'ext-corporations.track_members.v1' | 'ext-fittings.read_fittings.v1' | 'ext-fittings.write_fittings.v1' | 'ext-fleets.read_fleet.v1' | 'ext-fleets.write_fleet.v1' | 'ext-industry.read_character_jobs.v1' | 'ext-industry.read_character_mining.v1' | 'ext-industry.read_corporation_jobs.v1' | 'ext-industry.read_corporation_mining.v1' | 'ext-killmails.read_corporation_killmails.v1' | 'ext-killmails.read_killmails.v1' | 'ext-location.read_location.v1' | 'ext-location.read_online.v1' | 'ext-location.read_ship_type.v1' | 'ext-mail.organize_mail.v1' | 'ext-mail.read_mail.v1' | 'ext-mail.send_mail.v1' | 'ext-markets.read_character_orders.v1' | 'ext-markets.read_corporation_orders.v1' | 'ext-markets.structure_markets.v1' | 'ext-planets.manage_planets.v1' | 'ext-planets.read_customs_offices.v1' | 'ext-search.search_structures.v1' | 'ext-skills.read_skillqueue.v1' | 'ext-skills.read_skills.v1' | 'ext-structures.read_character.v1' | 'ext-structures.read_corporation.v1' | 'ext-ui.open_window.v1' | 'ext-ui.write_waypoint.v1' | 'ext-universe.read_structures.v1' | 'ext-wallet.read_character_wallet.v1' | 'ext-wallet.read_corporation_wallets.v1' | 'publicData'> = z.enum([
  'esi.activity.char:read',
  'esi.cosmetic.char:read',
  'ext-access.read_lists.v1',
  'ext-activities.read_character.v1',
  'ext-alliances.read_contacts.v1',
  'ext-assets.read_assets.v1',
  'ext-assets.read_corporation_assets.v1',
  'ext-calendar.read_calendar_events.v1',
  'ext-calendar.respond_calendar_events.v1',
  'ext-characters.read_agents_research.v1',
  'ext-characters.read_blueprints.v1',
  'ext-characters.read_contacts.v1',
  'ext-characters.read_corporation_roles.v1',
  'ext-characters.read_fatigue.v1',
  'ext-characters.read_freelance_jobs.v1',
  'ext-characters.read_fw_stats.v1',
  'ext-characters.read_loyalty.v1',
  'ext-characters.read_medals.v1',
  'ext-characters.read_notifications.v1',
  'ext-characters.read_standings.v1',
  'ext-characters.read_titles.v1',
  'ext-characters.write_contacts.v1',
  'ext-clones.read_clones.v1',
  'ext-clones.read_implants.v1',
  'ext-contracts.read_character_contracts.v1',
  'ext-contracts.read_corporation_contracts.v1',
  'ext-corporations.read_blueprints.v1',
  'ext-corporations.read_contacts.v1',
  'ext-corporations.read_container_logs.v1',
  'ext-corporations.read_corporation_membership.v1',
  'ext-corporations.read_divisions.v1',
  'ext-corporations.read_facilities.v1',
  'ext-corporations.read_freelance_jobs.v1',
  'ext-corporations.read_fw_stats.v1',
  'ext-corporations.read_medals.v1',
  'ext-corporations.read_projects.v1',
  'ext-corporations.read_standings.v1',
  'ext-corporations.read_starbases.v1',
  'ext-corporations.read_structures.v1',
  'ext-corporations.read_titles.v1',
  'ext-corporations.track_members.v1',
  'ext-fittings.read_fittings.v1',
  'ext-fittings.write_fittings.v1',
  'ext-fleets.read_fleet.v1',
  'ext-fleets.write_fleet.v1',
  'ext-industry.read_character_jobs.v1',
  'ext-industry.read_character_mining.v1',
  'ext-industry.read_corporation_jobs.v1',
  'ext-industry.read_corporation_mining.v1',
  'ext-killmails.read_corporation_killmails.v1',
  'ext-killmails.read_killmails.v1',
  'ext-location.read_location.v1',
  'ext-location.read_online.v1',
  'ext-location.read_ship_type.v1',
  'ext-mail.organize_mail.v1',
  'ext-mail.read_mail.v1',
  'ext-mail.send_mail.v1',
  'ext-markets.read_character_orders.v1',
  'ext-markets.read_corporation_orders.v1',
  'ext-markets.structure_markets.v1',
  'ext-planets.manage_planets.v1',
  'ext-planets.read_customs_offices.v1',
  'ext-search.search_structures.v1',
  'ext-skills.read_skillqueue.v1',
  'ext-skills.read_skills.v1',
  'ext-structures.read_character.v1',
  'ext-structures.read_corporation.v1',
  'ext-ui.open_window.v1',
  'ext-ui.write_waypoint.v1',
  'ext-universe.read_structures.v1',
  'ext-wallet.read_character_wallet.v1',
  'ext-wallet.read_corporation_wallets.v1',
  'publicData',
]);

/** A corporation by id and name. */
export const CorporationShort: z.ZodObject<{
  /** Id of the corporation in the game. */
  corporation_id: z.ZodNumber;
  /** Name of the corporation. */
  corporation_name: z.ZodString;
}> = z.object({
  corporation_id: z.number().int(),
  corporation_name: z.string(),
});

/** A registered alliance. One that closed keeps its last known executor and CEO. */
export const Alliance: z.ZodObject<{
  /** Id of the alliance in the game. */
  alliance_id: z.ZodNumber;
  /** Name of the alliance. */
  alliance_name: z.ZodString;
  /** CEO of the executor corporation. */
  ceo: typeof UserShort;
  /** What the alliance and its coalitions together require of a member, sorted. */
  cumulated_mandatory_ext_scopes: z.ZodArray<z.ZodUnion<[typeof ExtScope, z.ZodNever]>>;
  /** The corporation that leads the alliance. */
  executor_corporation: typeof CorporationShort;
  /** What the alliance itself requires of its members, sorted. */
  mandatory_ext_scopes: z.ZodArray<z.ZodUnion<[typeof ExtScope, z.ZodNever]>>;
  /** The short form of the name. */
  ticker: z.ZodString;
  /** When it was last changed here. */
  updated_on: z.ZodString;
}> = z.object({
  alliance_id: z.number().int(),
  alliance_name: z.string(),
  ceo: UserShort,
  cumulated_mandatory_ext_scopes: z.array(ExtScope.or(z.string() as unknown as z.ZodNever)),
  executor_corporation: CorporationShort,
  mandatory_ext_scopes: z.array(ExtScope.or(z.string() as unknown as z.ZodNever)),
  ticker: z.string(),
  updated_on: z.string().datetime(),
});

/** An alliance by id and name. */
export const AllianceShort: z.ZodObject<{
  /** Id of the alliance in the game. */
  alliance_id: z.ZodNumber;
  /** Name of the alliance. */
  alliance_name: z.ZodString;
}> = z.object({
  alliance_id: z.number().int(),
  alliance_name: z.string(),
});

/** A new application token in its signed form. */
export const AppToken: z.ZodObject<{
  /** The token to send as `Authorization: Bearer …`. Shown this once. */
  tkn: z.ZodString;
}> = z.object({
  tkn: z.string(),
});

/** A group by id and name. */
export const GroupShort: z.ZodObject<{
  /** Id of the group: 24 hexadecimal digits. */
  group_id: z.ZodString;
  /** Name of the group. */
  group_name: z.ZodString;
}> = z.object({
  group_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  group_name: z.string(),
});

/** A wish to join a group, and what became of it. */
export const Application: z.ZodObject<{
  /** Id of the application: 24 hexadecimal digits. */
  application_id: z.ZodString;
  /** The group that the applicant would join; it may be deleted by now. */
  group: typeof GroupShort;
  /** Who would join. */
  applicant: typeof UserShort;
  /** pending until it is decided; void where it lost its sense: the applicant may not join any more or is a member, or the group is deleted. */
  state: Enum<'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired' | 'void'>;
  /** What the applicant says. */
  message: z.ZodString;
  /** What the group asked when the application was made. */
  questions: z.ZodArray<z.ZodString>;
  /** The answers to these questions, in their order. */
  answers: z.ZodArray<z.ZodString>;
  /** When it ends undecided. */
  expires_on: z.ZodString;
  /** When it was decided, or expired; null while it is pending. */
  decided_on: z.ZodNullable<z.ZodString>;
  /** The moderator who decided; null where the applicant or time did. */
  decided_by: z.ZodNullable<typeof UserShort>;
  /** A message of the moderator to the applicant. */
  reason: z.ZodNullable<z.ZodString>;
  /** What moderators tell each other; null for anybody else. */
  note: z.ZodNullable<z.ZodString>;
  /** When it was made here. */
  created_on: z.ZodString;
}> = z.object({
  application_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  group: GroupShort,
  applicant: UserShort,
  state: z.enum([
    'pending',
    'approved',
    'rejected',
    'withdrawn',
    'expired',
    'void',
  ]),
  message: z.string(),
  questions: z.array(z.string()),
  answers: z.array(z.string()),
  expires_on: z.string().datetime(),
  decided_on: z.string().datetime().nullable(),
  decided_by: UserShort.nullable(),
  reason: z.string().nullable(),
  note: z.string().nullable(),
  created_on: z.string().datetime(),
});

/** What caused an event that was a consequence of something else. */
export const Cause: z.ZodObject<{
  /** The event that caused this one. */
  event_id: z.ZodNullable<z.ZodString>;
  /** The run of a job. */
  run_id: z.ZodNullable<z.ZodString>;
  /** The job of this run. */
  job: z.ZodNullable<z.ZodString>;
}> = z.object({
  event_id: z.string().nullable(),
  run_id: z.string().nullable(),
  job: z.string().nullable(),
});

/** Ids that came into a list or left it: `members` are users. */
export const ListChange: z.ZodObject<{
  /** Name of the field. */
  field: z.ZodString;
  /** At most 500: more of them are told by several events. */
  added: z.ZodArray<z.ZodNumber>;
  /** Ids of those who left. */
  removed: z.ZodArray<z.ZodNumber>;
}> = z.object({
  field: z.string(),
  added: z.array(z.number().int()),
  removed: z.array(z.number().int()),
});

/** A field that has another value now. */
export const ValueChange: z.ZodObject<{
  /** Name of the field. */
  field: z.ZodString;
  /** Null if there was no value. */
  before: z.ZodNullable<z.ZodUnion<[z.ZodString, z.ZodNumber, z.ZodBoolean, z.ZodArray<z.ZodString>]>>;
  /** What it is now; null where there is nothing any more. */
  after: z.ZodNullable<z.ZodUnion<[z.ZodString, z.ZodNumber, z.ZodBoolean, z.ZodArray<z.ZodString>]>>;
}> = z.object({
  field: z.string(),
  before: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).nullable(),
  after: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).nullable(),
});

/** What an event changed. */
export const Change: z.ZodUnion<[typeof ListChange, typeof ValueChange]> = z.union([ListChange, ValueChange]);

/** Where a character was. Docked in at most one of station and structure; in space in neither. */
export const CharacterLocation: z.ZodObject<{
  /** Whether the character was in the game. */
  online: z.ZodBoolean;
  /** The name that the player gave the ship. */
  ship_name: z.ZodString;
  /** Id of the type of the ship. */
  ship_type_id: z.ZodNumber;
  /** Name of the type of the ship. */
  ship_type_name: z.ZodString;
  /** Id of the solar system. */
  solar_system_id: z.ZodNumber;
  /** Name of the solar system. */
  solar_system_name: z.ZodString;
  /** Id of the station; null where not docked in one. */
  station_id: z.ZodNullable<z.ZodNumber>;
  /** Name of the station; null where not docked in one. */
  station_name: z.ZodNullable<z.ZodString>;
  /** Id of the structure; null where not docked in one. */
  structure_id: z.ZodNullable<z.ZodNumber>;
  /** Name of the structure, `#` and its id if that is not available; null where not docked in one. */
  structure_name: z.ZodNullable<z.ZodString>;
  /** The time of this entry. */
  timestamp: z.ZodString;
  user: typeof UserShort;
}> = z.object({
  online: z.boolean(),
  ship_name: z.string(),
  ship_type_id: z.number().int(),
  ship_type_name: z.string(),
  solar_system_id: z.number().int(),
  solar_system_name: z.string(),
  station_id: z.number().int().nullable(),
  station_name: z.string().nullable(),
  structure_id: z.number().int().nullable(),
  structure_name: z.string().nullable(),
  timestamp: z.string().datetime(),
  user: UserShort,
});

/** A character, corporation, alliance or mailing list that a mail went to. */
export const MailRecipient: z.ZodObject<{
  /** Id of a character, corporation, alliance or mailing list. */
  recipient_id: z.ZodNumber;
  /** `Mailing list N` or `#N` if the name is not available. */
  recipient_name: z.ZodString;
}> = z.object({
  recipient_id: z.number().int(),
  recipient_name: z.string(),
});

/** A mail with its text. */
export const CharacterMail: z.ZodObject<{
  /** Plain text with its line breaks. */
  body: z.ZodString;
  /** Id of who sent it. */
  from_id: z.ZodNumber;
  /** Name of who sent it. */
  from_name: z.ZodString;
  /** Id of the mail in the game. */
  mail_id: z.ZodNumber;
  /** Who the mail went to. */
  recipients: z.ZodArray<typeof MailRecipient>;
  /** Subject of the mail. */
  subject: z.ZodString;
  /** The time of this entry. */
  timestamp: z.ZodString;
}> = z.object({
  body: z.string(),
  from_id: z.number().int(),
  from_name: z.string(),
  mail_id: z.number().int(),
  recipients: z.array(MailRecipient),
  subject: z.string(),
  timestamp: z.string().datetime(),
});

/** The header of a mail. */
export const CharacterMailShort: z.ZodObject<{
  from_character: typeof UserShort;
  /** Id of the mail in the game. */
  mail_id: z.ZodNumber;
  /** Who the mail went to. */
  recipients: z.ZodArray<typeof MailRecipient>;
  /** Subject of the mail. */
  subject: z.ZodString;
  /** The time of this entry. */
  timestamp: z.ZodString;
}> = z.object({
  from_character: UserShort,
  mail_id: z.number().int(),
  recipients: z.array(MailRecipient),
  subject: z.string(),
  timestamp: z.string().datetime(),
});

/** Skill points at one moment. */
export const CharacterSkillPoints: z.ZodObject<{
  /** The time of this entry. */
  timestamp: z.ZodString;
  /** Skill points in all. */
  total_sp: z.ZodNumber;
  /** Skill points that are not assigned to a skill yet. */
  unallocated_sp: z.ZodNumber;
}> = z.object({
  timestamp: z.string().datetime(),
  total_sp: z.number().int(),
  unallocated_sp: z.number().int(),
});

/** The balance of a wallet at one moment. */
export const CharacterWalletBalance: z.ZodObject<{
  /** In the currency of the game. */
  balance: z.ZodNumber;
  /** The time of this entry. */
  timestamp: z.ZodString;
}> = z.object({
  balance: z.number(),
  timestamp: z.string().datetime(),
});

/** Alliances and corporations that act together. Members of a new coalition may log in. */
export const Coalition: z.ZodObject<{
  /** true: members may log in. false: members may not log in, whatever other groups say. null: no effect. */
  authorized_to_login: z.ZodNullable<z.ZodBoolean>;
  /** Id of the coalition: 24 hexadecimal digits. */
  coalition_id: z.ZodString;
  /** Name of the coalition. */
  coalition_name: z.ZodString;
  /** When it was made here. */
  created_on: z.ZodString;
  /** What the coalition requires of its members, sorted. */
  mandatory_ext_scopes: z.ZodArray<z.ZodUnion<[typeof ExtScope, z.ZodNever]>>;
  /** The alliances that are members. */
  member_alliances: z.ZodArray<typeof AllianceShort>;
  /** Corporations that are members directly, not through an alliance. */
  member_corporations: z.ZodArray<typeof CorporationShort>;
  /** The short form of the name. */
  ticker: z.ZodString;
  /** When it was last changed here. */
  updated_on: z.ZodString;
}> = z.object({
  authorized_to_login: z.boolean().nullable(),
  coalition_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  coalition_name: z.string(),
  created_on: z.string().datetime(),
  mandatory_ext_scopes: z.array(ExtScope.or(z.string() as unknown as z.ZodNever)),
  member_alliances: z.array(AllianceShort),
  member_corporations: z.array(CorporationShort),
  ticker: z.string(),
  updated_on: z.string().datetime(),
});

/** A coalition by id and name. */
export const CoalitionShort: z.ZodObject<{
  /** Id of the coalition: 24 hexadecimal digits. */
  coalition_id: z.ZodString;
  /** Name of the coalition. */
  coalition_name: z.ZodString;
}> = z.object({
  coalition_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  coalition_name: z.string(),
});

/** ok: a valid refresh token covers what is required. grace: none does, for less than three days. failing: for longer. unknown: a refresh was cut off, and its token may or may not live. */
export const ComplianceStatus: Enum<'ok' | 'grace' | 'failing' | 'unknown'> = z.enum([
  'ok',
  'grace',
  'failing',
  'unknown',
]);

/** no_grant: there is no refresh token. grant_invalid: none is valid. scopes_missing: no valid one covers what is required. refresh_cut_off: it is unknown whether the last one is still valid, because its refresh was interrupted. */
export const ComplianceReason: Enum<'no_grant' | 'grant_invalid' | 'scopes_missing' | 'refresh_cut_off'> = z.enum([
  'no_grant',
  'grant_invalid',
  'scopes_missing',
  'refresh_cut_off',
]);

/** A character of the corporation, alliance or coalition, and how it complies. */
export const ComplianceCharacter: z.ZodObject<{
  user: typeof UserShort;
  status: typeof ComplianceStatus;
  /** What is wrong; null when nothing is. */
  reason: z.ZodNullable<typeof ComplianceReason>;
  /** Required scopes that the best valid refresh token does not have, sorted. */
  missing_scopes: z.ZodArray<z.ZodUnion<[typeof ExtScope, z.ZodNever]>>;
  /** Since when it has not complied, as far as the hourly job has noticed: the beginning of its grace. Null where it complies, or that is unknown. */
  since: z.ZodNullable<z.ZodString>;
  /** Whole days since then. */
  days: z.ZodNullable<z.ZodNumber>;
  /** When grace ends, or ended. */
  grace_until: z.ZodNullable<z.ZodString>;
}> = z.object({
  user: UserShort,
  status: ComplianceStatus,
  reason: ComplianceReason.nullable(),
  missing_scopes: z.array(ExtScope.or(z.string() as unknown as z.ZodNever)),
  since: z.string().datetime().nullable(),
  days: z.number().int().min(0).nullable(),
  grace_until: z.string().datetime().nullable(),
});

/** A person with a character there. */
export const CompliancePerson: z.ZodObject<{
  /** Id of the person; where some of its characters are hidden from the caller, that of the visible one with the smallest id alone. */
  person_id: z.ZodString;
  /** The main character of the person; null if the caller may not see it. */
  main: z.ZodNullable<typeof UserShort>;
  /** The worst of its characters here: failing, then unknown, grace, ok. */
  status: typeof ComplianceStatus;
  /** Its characters here, ordered by name ignoring case, then by id. */
  characters: z.ZodArray<typeof ComplianceCharacter>;
}> = z.object({
  person_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  main: UserShort.nullable(),
  status: ComplianceStatus,
  characters: z.array(ComplianceCharacter),
});

/** How the members of a corporation, alliance or coalition comply. */
export const Compliance: z.ZodObject<{
  /** When it was so. */
  as_of: z.ZodString;
  /** Everybody with a character there, ordered by the first of them. */
  persons: z.ZodArray<typeof CompliancePerson>;
  /** Members that the game knows and that were never here, ordered by name. */
  never_signed_in: z.ZodArray<typeof UserShort>;
  /** Corporations whose list of members cannot be read, as no member granted `ext-corporations.read_corporation_membership.v1`: more members may never have signed in. */
  unlisted: z.ZodArray<typeof CorporationShort>;
}> = z.object({
  as_of: z.string().datetime(),
  persons: z.array(CompliancePerson),
  never_signed_in: z.array(UserShort),
  unlisted: z.array(CorporationShort),
});

/** How many persons complied on a day. */
export const ComplianceDay: z.ZodObject<{
  /** The day in UTC; the counts are those at its end. */
  day: z.ZodString;
  /** Persons with a character there. */
  persons: z.ZodNumber;
  /** Persons whose characters there all comply. */
  ok: z.ZodNumber;
  /** Persons whose worst character there is in grace. */
  grace: z.ZodNumber;
  /** Persons with a failing character there. */
  failing: z.ZodNumber;
  /** Persons whose worst character there is unknown. */
  unknown: z.ZodNumber;
  /** Members that never signed in. */
  never_signed_in: z.ZodNumber;
}> = z.object({
  day: z.string().regex(new RegExp('^\\d{4}-\\d\\d-\\d\\d$')),
  persons: z.number().int().min(0),
  ok: z.number().int().min(0),
  grace: z.number().int().min(0),
  failing: z.number().int().min(0),
  unknown: z.number().int().min(0),
  never_signed_in: z.number().int().min(0),
});

/** The active configuration: the settings in lower case, those that belong together in an object. Every secret is `**********`, passwords inside URLs too. */
export const Configuration: z.ZodRecord<z.ZodString, z.ZodUnknown> = z.record(z.string(), z.unknown());

/** A registered corporation. One that closed keeps its last known CEO. */
export const Corporation: z.ZodObject<{
  /** The alliance that it belongs to, if any. */
  alliance: z.ZodNullable<typeof AllianceShort>;
  ceo: typeof UserShort;
  /** Id of the corporation in the game. */
  corporation_id: z.ZodNumber;
  /** Name of the corporation. */
  corporation_name: z.ZodString;
  /** What the corporation, its alliance and their coalitions together require of a member, sorted. */
  cumulated_mandatory_ext_scopes: z.ZodArray<z.ZodUnion<[typeof ExtScope, z.ZodNever]>>;
  /** What the corporation itself requires of its members, sorted. */
  mandatory_ext_scopes: z.ZodArray<z.ZodUnion<[typeof ExtScope, z.ZodNever]>>;
  /** The short form of the name. */
  ticker: z.ZodString;
  /** When it was last changed here. */
  updated_on: z.ZodString;
}> = z.object({
  alliance: AllianceShort.nullable(),
  ceo: UserShort,
  corporation_id: z.number().int(),
  corporation_name: z.string(),
  cumulated_mandatory_ext_scopes: z.array(ExtScope.or(z.string() as unknown as z.ZodNever)),
  mandatory_ext_scopes: z.array(ExtScope.or(z.string() as unknown as z.ZodNever)),
  ticker: z.string(),
  updated_on: z.string().datetime(),
});

/** An unforeseen error. A crash report is stored. */
export const CrashProblem: z.ZodObject<{
  /** Always the same sentence: what happened is in the crash report. */
  detail: z.ZodString;
  /** What went wrong, for programs. */
  code: Enum<'internal_error'>;
  /** The stored report, for administrators: `GET /crash/{crash_report_id}`. Absent when none could be stored. */
  crash_report_id: z.ZodOptional<z.ZodString>;
}> = z.object({
  detail: z.string(),
  code: z.enum(['internal_error']),
  crash_report_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')).optional(),
});

/** What is known of an unforeseen error. Kept for 90 days; credentials are removed before it is stored. */
export const CrashReport: z.ZodObject<{
  /** Id of the record: 24 hexadecimal digits. */
  id: z.ZodString;
  /** Schema version of the record. */
  _version: z.ZodLiteral<1>;
  /** What was asked for. */
  request: z.ZodObject<{
    /** Headers of the request, credentials redacted. */
    headers: z.ZodRecord<z.ZodString, z.ZodString>;
    /** Method of the request. */
    method: z.ZodString;
    /** Parameters of the path and the query, secrets redacted. */
    params: z.ZodRecord<z.ZodString, z.ZodUnknown>;
    /** Secrets in the query are redacted. */
    url: z.ZodString;
  }>;
  /** The time of this entry. */
  timestamp: z.ZodString;
  /** The token of the failing request as it was then, without its text. */
  token: z.ZodNullable<z.ZodObject<{
    /** Id of the token; the token itself cannot be derived from it. */
    uuid: z.ZodString;
    /** Kind of the token: dynamic app, permanent app or user. */
    token_type: Enum<'dyn' | 'per' | 'use'>;
    owner: typeof UserShort;
    /** When it was made here. */
    created_on: z.ZodString;
    /** When it expires; null if it does not expire. */
    expires_on: z.ZodNullable<z.ZodString>;
  }>>;
  /** The stack trace. */
  trace: z.ZodString;
}> = z.object({
  id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  _version: z.literal(1),
  request: z.object({
    headers: z.record(z.string(), z.string()),
    method: z.string(),
    params: z.record(z.string(), z.unknown()),
    url: z.string(),
  }),
  timestamp: z.string().datetime(),
  token: z.object({
    uuid: z.string(),
    token_type: z.enum(['dyn', 'per', 'use']),
    owner: UserShort,
    created_on: z.string().datetime(),
    expires_on: z.string().datetime().nullable(),
  }).nullable(),
  trace: z.string(),
});

/** A crash report by its outline. */
export const CrashReportShort: z.ZodObject<{
  /** Id of the record: 24 hexadecimal digits. */
  id: z.ZodString;
  /** The time of this entry. */
  timestamp: z.ZodString;
  /** URL of the request; secrets in the query are redacted. */
  url: z.ZodString;
  /** Owner of the token of the failing request, if it had one. */
  user: z.ZodNullable<typeof UserShort>;
}> = z.object({
  id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  timestamp: z.string().datetime(),
  url: z.string(),
  user: UserShort.nullable(),
});

/** `asked`: by a request. `gone`: the receiver answered 410. `undeliverable`: a delivery failed at its last try. `not_allowed`: its application or owner may not have it any more. */
export const DisabledReason: Enum<'asked' | 'gone' | 'undeliverable' | 'not_allowed'> = z.enum([
  'asked',
  'gone',
  'undeliverable',
  'not_allowed',
]);

/**
 * What went wrong, for programs; each code comes with one status. The list grows: go by the status where you do not know the code.
 *
 * - `http_unreadable` (400): The request is not readable as HTTP.
 * - `token_missing` (401): The request carries no token.
 * - `token_malformed` (401): The Authorization header does not contain a token of this service.
 * - `token_invalid` (401): The token's signature, key, issuer or claims are not those of this service.
 * - `token_expired` (401): The token has expired: sign in again.
 * - `token_revoked` (401): The token was deleted, or is not known here.
 * - `token_type_refused` (401): The operation takes tokens of another type.
 * - `login_not_allowed` (401): The user who is responsible for the token is not allowed to log in.
 * - `level_too_low` (403): The clearance level of the token's owner is too low.
 * - `no_authority` (403): There is no authority over the record that the request is about.
 * - `forbidden_to_all` (403): No caller may do this, whatever the level.
 * - `not_found` (404): A record that the request names does not exist.
 * - `path_unknown` (404): The service has no such path.
 * - `ext_path_unknown` (404): The game's API has no such path.
 * - `no_refresh_token` (404): No valid refresh token of the character has the scope that is needed.
 * - `state_code_unknown` (404): The state code does not belong to this token, or has expired.
 * - `voice_not_configured` (404): This instance has no voice server.
 * - `voice_challenge_missing` (404): The user has no valid voice challenge.
 * - `voice_client_missing` (404): No client on the voice server, or more than one, has the nickname of the challenge.
 * - `method_not_allowed` (405): The path does not support the method; `Allow` lists those that it supports.
 * - `request_timeout` (408): The request did not arrive in time.
 * - `name_taken` (409): Another record has this name.
 * - `autogroup_kept` (409): The request would change a part of an autogroup that only the service changes.
 * - `joining_closed` (409): Joining is closed: only the owner adds members to the group.
 * - `not_eligible` (409): The user does not meet the conditions of the group's policy.
 * - `questions_changed` (409): The group does not ask these questions any more.
 * - `already_member` (409): The user is a member of the group already.
 * - `too_many_applications` (409): The user has the maximum number of pending applications, or made the maximum number within 24 hours.
 * - `application_pending` (409): The user has a pending application to the group.
 * - `reapply_later` (409): The user was rejected recently, and may apply again only after the waiting time.
 * - `application_decided` (409): The application is not pending any more.
 * - `owner_stays` (409): The owner of a group cannot leave it.
 * - `member_stays` (409): A group that bars from another one cannot be left by its members.
 * - `main_kept` (409): The main of a person with other characters cannot be removed before another main is chosen.
 * - `client_is_public` (409): A public client has no secret to renew.
 * - `too_many_guest_codes` (409): The corporation has the maximum number of valid guest codes.
 * - `resync` (410): The events after this cursor are no longer in the feed, or the cursor is not of this database: read the lists again.
 * - `too_many_webhooks` (409): The caller has the maximum number of webhooks.
 * - `precondition_failed` (412): A condition in the headers of the request does not hold.
 * - `body_too_large` (413): The body has more bytes than the operation takes.
 * - `encoding_unsupported` (415): The encoding of the body is not supported.
 * - `range_not_satisfiable` (416): The file does not have the range that was asked for.
 * - `host_unknown` (421): The service does not answer to the host that the request names.
 * - `invalid_request` (422): Path, query, headers or body are not what the operation takes: `detail` lists it.
 * - `rate_limited` (429): The token, the address without one, or the webhook used up its requests of this minute, or the person its choices of a main of this hour.
 * - `caller_errors_used_up` (429): The caller's requests caused too many errors at the provider.
 * - `too_many_waiting` (429): The caller has the maximum number of waiting requests, or the whole process that of requests for events.
 * - `too_many_joined_answers` (429): The caller has the maximum number of concurrent joined answers.
 * - `headers_too_large` (431): The headers of the request are too large.
 * - `internal_error` (500): An unforeseen error.
 * - `provider_unavailable` (502): The provider cannot be reached, or its answer cannot be used.
 * - `provider_pages_changed` (502): The pages of a list changed while they were read; asking again may help.
 * - `voice_server_unavailable` (502): The voice server cannot be reached, or its answer cannot be used.
 * - `database_unavailable` (503): The database cannot be reached.
 * - `database_not_migrated` (503): The database lacks migrations.
 * - `provider_limits_used_up` (503): The provider's limits are used up at the moment.
 * - `forwarding_busy` (503): Too many requests are being forwarded at the moment.
 * - `encryption_key_missing` (503): A process lacks an encryption key that others of the service use.
 * - `service_starting` (503): The service is starting.
 * - `service_stopping` (503): The service is stopping.
 * - `provider_timeout` (504): The provider did not answer in time.
 * - `provider_refused` (its own): The provider refused a forwarded request; `status_code` is the status of its answer.
 */
export const ErrorCode: z.ZodUnion<[Enum<'http_unreadable' | 'token_missing' | 'token_malformed' | 'token_invalid' | 'token_expired' | 'token_revoked' | 'token_type_refused' | 'login_not_allowed' | 'level_too_low' | 'no_authority' | 'forbidden_to_all' | 'not_found' | 'path_unknown' | 'ext_path_unknown' | 'no_refresh_token' | 'state_code_unknown' | 'voice_not_configured' | 'voice_challenge_missing' | 'voice_client_missing' | 'method_not_allowed' | 'request_timeout' | 'name_taken' | 'autogroup_kept' | 'joining_closed' | 'not_eligible' | 'questions_changed' | 'already_member' | 'too_many_applications' | 'application_pending' | 'reapply_later' | 'application_decided' | 'owner_stays' | 'member_stays' | 'main_kept' | 'client_is_public' | 'too_many_guest_codes' | 'resync' | 'too_many_webhooks' | 'precondition_failed' | 'body_too_large' | 'encoding_unsupported' | 'range_not_satisfiable' | 'host_unknown' | 'invalid_request' | 'rate_limited' | 'caller_errors_used_up' | 'too_many_waiting' | 'too_many_joined_answers' | 'headers_too_large' | 'internal_error' | 'provider_unavailable' | 'provider_pages_changed' | 'voice_server_unavailable' | 'database_unavailable' | 'database_not_migrated' | 'provider_limits_used_up' | 'forwarding_busy' | 'encryption_key_missing' | 'service_starting' | 'service_stopping' | 'provider_timeout' | 'provider_refused'>, z.ZodNever]> = z.enum([
  'http_unreadable',
  'token_missing',
  'token_malformed',
  'token_invalid',
  'token_expired',
  'token_revoked',
  'token_type_refused',
  'login_not_allowed',
  'level_too_low',
  'no_authority',
  'forbidden_to_all',
  'not_found',
  'path_unknown',
  'ext_path_unknown',
  'no_refresh_token',
  'state_code_unknown',
  'voice_not_configured',
  'voice_challenge_missing',
  'voice_client_missing',
  'method_not_allowed',
  'request_timeout',
  'name_taken',
  'autogroup_kept',
  'joining_closed',
  'not_eligible',
  'questions_changed',
  'already_member',
  'too_many_applications',
  'application_pending',
  'reapply_later',
  'application_decided',
  'owner_stays',
  'member_stays',
  'main_kept',
  'client_is_public',
  'too_many_guest_codes',
  'resync',
  'too_many_webhooks',
  'precondition_failed',
  'body_too_large',
  'encoding_unsupported',
  'range_not_satisfiable',
  'host_unknown',
  'invalid_request',
  'rate_limited',
  'caller_errors_used_up',
  'too_many_waiting',
  'too_many_joined_answers',
  'headers_too_large',
  'internal_error',
  'provider_unavailable',
  'provider_pages_changed',
  'voice_server_unavailable',
  'database_unavailable',
  'database_not_migrated',
  'provider_limits_used_up',
  'forwarding_busy',
  'encryption_key_missing',
  'service_starting',
  'service_stopping',
  'provider_timeout',
  'provider_refused',
]).or(z.string() as unknown as z.ZodNever);

/**
 * What happened. The list grows: pass over types that you do not know.
 *
 * - `user.registered`: A character became a user, by its own sign-in or because the game has it in a corporation.
 * - `user.signed_in`: A sign-in at the game ended with a user token, or with a session of OpenID Connect.
 * - `user.sign_in_refused`: A sign-in ended with a refusal; `reason` says which.
 * - `user.moved`: A user is in another corporation now, or in none.
 * - `user.standing_changed`: The level, memberships or login permission of a user changed; `changes` has those that differ.
 * - `user.renamed`: The game has another name for the character.
 * - `user.handed_over`: The character was transferred to another person; its rights and data were removed.
 * - `user.deleted`: A user was deleted with all its data.
 * - `grant.given`: A character granted the service access to the game's API.
 * - `grant.scopes_changed`: A sign-in replaced a character's grant by one with other scopes.
 * - `grant.invalidated`: A refresh token became invalid.
 * - `group.created`: There is a new group.
 * - `group.updated`: Fields of a group other than its members changed.
 * - `group.deleted`: A group was deleted, and its memberships with it.
 * - `group.members_changed`: Users joined or left a group, autogroups included.
 * - `coalition.created`: There is a new coalition.
 * - `coalition.updated`: Fields of a coalition other than its members changed.
 * - `coalition.deleted`: A coalition was deleted, and its memberships and autogroup with it.
 * - `coalition.members_changed`: Alliances or corporations joined or left a coalition.
 * - `corporation.registered`: A corporation was registered.
 * - `corporation.updated`: Name, ticker, alliance or required scopes of a corporation changed.
 * - `corporation.members_changed`: Users joined or left a corporation.
 * - `corporation.ceo_changed`: The CEO of a corporation changed.
 * - `corporation.guest_invited`: There is a new guest code of a corporation.
 * - `alliance.registered`: An alliance was registered.
 * - `alliance.updated`: Name, ticker or required scopes of an alliance changed.
 * - `alliance.members_changed`: Corporations joined or left an alliance.
 * - `alliance.ceo_changed`: The executor corporation of an alliance, or that corporation's CEO, changed.
 * - `token.created`: There is a new token.
 * - `token.deleted`: Somebody deleted a token, and with it what descended from it.
 * - `application.created`: Somebody asked to join a group.
 * - `application.decided`: An application was decided, was withdrawn, expired or became void.
 * - `person.character_linked`: A character was linked to a person.
 * - `person.character_unlinked`: A character was removed from a person.
 * - `person.main_changed`: The main character of a person changed.
 * - `voice.bound`: A user proved which identity on the voice server is its own.
 * - `voice.unbound`: An identity on the voice server is no longer the user’s.
 * - `oidc.client_created`: An OpenID Connect application was created.
 * - `oidc.client_updated`: An OpenID Connect application was changed, or given a new secret.
 * - `oidc.client_deleted`: An OpenID Connect application was deleted, and with it what it was granted.
 * - `oidc.consent_given`: A user agreed to what an OpenID Connect application learns about them.
 * - `webhook.created`: A webhook was created; of its URL the event contains only the origin.
 * - `webhook.updated`: A webhook was changed, disabled, given a new secret, or set back.
 * - `webhook.deleted`: A webhook was deleted by request. There is no event for webhooks deleted with their application or owner.
 * - `job.requested`: Somebody had a job run.
 * - `registry.change_held`: The mass-change guard held back a run that would have taken rights from too many users.
 * - `crash.deleted`: A crash report was deleted.
 * - `ext.asked_on_behalf`: Data of another user was requested from the game's API.
 * - `history.read`: The history of another user was read.
 * - `audit.checkpoint`: So far the events are whole: the position and the hash of the last one, signed.
 */
export const EventType: z.ZodUnion<[Enum<'user.registered' | 'user.signed_in' | 'user.sign_in_refused' | 'user.moved' | 'user.standing_changed' | 'user.renamed' | 'user.handed_over' | 'user.deleted' | 'grant.given' | 'grant.scopes_changed' | 'grant.invalidated' | 'group.created' | 'group.updated' | 'group.deleted' | 'group.members_changed' | 'coalition.created' | 'coalition.updated' | 'coalition.deleted' | 'coalition.members_changed' | 'corporation.registered' | 'corporation.updated' | 'corporation.members_changed' | 'corporation.ceo_changed' | 'corporation.guest_invited' | 'alliance.registered' | 'alliance.updated' | 'alliance.members_changed' | 'alliance.ceo_changed' | 'token.created' | 'token.deleted' | 'application.created' | 'application.decided' | 'person.character_linked' | 'person.character_unlinked' | 'person.main_changed' | 'voice.bound' | 'voice.unbound' | 'oidc.client_created' | 'oidc.client_updated' | 'oidc.client_deleted' | 'oidc.consent_given' | 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'job.requested' | 'registry.change_held' | 'crash.deleted' | 'ext.asked_on_behalf' | 'history.read' | 'audit.checkpoint'>, z.ZodNever]> = z.enum([
  'user.registered',
  'user.signed_in',
  'user.sign_in_refused',
  'user.moved',
  'user.standing_changed',
  'user.renamed',
  'user.handed_over',
  'user.deleted',
  'grant.given',
  'grant.scopes_changed',
  'grant.invalidated',
  'group.created',
  'group.updated',
  'group.deleted',
  'group.members_changed',
  'coalition.created',
  'coalition.updated',
  'coalition.deleted',
  'coalition.members_changed',
  'corporation.registered',
  'corporation.updated',
  'corporation.members_changed',
  'corporation.ceo_changed',
  'corporation.guest_invited',
  'alliance.registered',
  'alliance.updated',
  'alliance.members_changed',
  'alliance.ceo_changed',
  'token.created',
  'token.deleted',
  'application.created',
  'application.decided',
  'person.character_linked',
  'person.character_unlinked',
  'person.main_changed',
  'voice.bound',
  'voice.unbound',
  'oidc.client_created',
  'oidc.client_updated',
  'oidc.client_deleted',
  'oidc.consent_given',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'job.requested',
  'registry.change_held',
  'crash.deleted',
  'ext.asked_on_behalf',
  'history.read',
  'audit.checkpoint',
]).or(z.string() as unknown as z.ZodNever);

/** What an event is about. */
export const Target: z.ZodObject<{
  /** What kind of record it is. The list grows: pass over what is about kinds that you do not know. */
  type: z.ZodUnion<[Enum<'user' | 'group' | 'coalition' | 'corporation' | 'alliance' | 'token' | 'grant' | 'application' | 'person' | 'voice_identity' | 'job' | 'held_change' | 'crash_report' | 'webhook' | 'oidc_client'>, z.ZodNever]>;
  /** Its id as text, also if the id is a number. */
  id: z.ZodString;
  /** What it was called at that time. */
  name: z.ZodNullable<z.ZodString>;
}> = z.object({
  type: z.enum([
    'user',
    'group',
    'coalition',
    'corporation',
    'alliance',
    'token',
    'grant',
    'application',
    'person',
    'voice_identity',
    'job',
    'held_change',
    'crash_report',
    'webhook',
    'oidc_client',
  ]).or(z.string() as unknown as z.ZodNever),
  id: z.string(),
  name: z.string().nullable(),
});

/** From where the request came that changed something. */
export const EventContext: z.ZodObject<{
  /** What `X-Request-Id` said. */
  request_id: z.ZodString;
  /** The address of the client. */
  address: z.ZodString;
  /** What the client called itself, cut at 200 characters. */
  user_agent: z.ZodNullable<z.ZodString>;
}> = z.object({
  request_id: z.string(),
  address: z.string(),
  user_agent: z.string().nullable(),
});

/** Something that happened. What the reader may not see of other people is left out of it. */
export const Event: z.ZodObject<{
  /** A UUID of version 7: it begins with the time. */
  event_id: z.ZodString;
  /** Its place among all events, without a gap; null for the moment until it has one, in the audit alone. */
  position: z.ZodNullable<z.ZodNumber>;
  /** When it happened. */
  occurred_on: z.ZodString;
  /** What happened. */
  type: typeof EventType;
  /** Of the form of events. */
  version: z.ZodLiteral<1>;
  /** Who did it. */
  actor: typeof Actor;
  /** What it is about. */
  targets: z.ZodArray<typeof Target>;
  /** `refused`: a sign-in that was refused. `held`: a run that would have taken too much away (D63). */
  outcome: Enum<'done' | 'refused' | 'held'>;
  /** The fields that changed. */
  changes: z.ZodArray<typeof Change>;
  /** Why: what the acting user gave as the reason, or what the service found; null where neither is known. Of a decision about an application only the applicant and who decided are shown it, of a merge or split of persons only who did it, besides level 9; a permanent token of level 7 or 8, or a user token made from one, only where it did that itself. */
  reason: z.ZodNullable<z.ZodString>;
  /** What caused it, if it was a consequence of something else, as far as that does not tell which other character a human plays. */
  cause: z.ZodNullable<typeof Cause>;
  /** Shown to level 9 and to whose request it was (to a permanent token of level 7 or 8, or a user token made from one, that of its own requests), for 90 days; null where there was no request. */
  context: z.ZodNullable<typeof EventContext>;
}> = z.object({
  event_id: z.string(),
  position: z.number().int().nullable(),
  occurred_on: z.string().datetime(),
  type: EventType,
  version: z.literal(1),
  actor: Actor,
  targets: z.array(Target),
  outcome: z.enum(['done', 'refused', 'held']),
  changes: z.array(Change),
  reason: z.string().nullable(),
  cause: Cause.nullable(),
  context: EventContext.nullable(),
});

/** A stretch of what happened. */
export const EventPage: z.ZodObject<{
  /** In the order of their positions; may be empty although there are more. */
  events: z.ZodArray<typeof Event>;
  /** Value of `after` for the next page; unchanged when there is nothing new. */
  cursor: z.ZodString;
  /** Whether to ask for the next page at once. */
  more: z.ZodBoolean;
}> = z.object({
  events: z.array(Event),
  cursor: z.string(),
  more: z.boolean(),
});

/** The answer of the game to a forwarded request. */
export const ExternalForwardAnswer: z.ZodObject<{
  /** What the game answered; with all_pages the pages joined in order. */
  data: z.ZodUnknown;
  /** The headers of the game's answer about caching, pages and limits; others are left out. */
  headers: z.ZodRecord<z.ZodString, z.ZodString>;
  /** Names by id; empty if `id_annotations` was not set. */
  id_annotations: z.ZodRecord<z.ZodString, z.ZodString>;
  /** What the game answered with, below 400. */
  status_code: z.ZodNumber;
}> = z.object({
  data: z.unknown(),
  headers: z.record(z.string(), z.string()),
  id_annotations: z.record(z.string(), z.string()),
  status_code: z.number().int(),
});

/** The game refused a forwarded request. */
export const ExternalForwardRefusal: z.ZodObject<{
  /** The game's own words, where it has some. */
  detail: z.ZodString;
  /** What went wrong, for programs. */
  code: Enum<'provider_refused'>;
  /** What the game answered. */
  data: z.ZodUnknown;
  /** The headers of the game's answer about caching and limits; others are left out. */
  headers: z.ZodRecord<z.ZodString, z.ZodString>;
  /** The status of the game's answer; refusals by this service do not have this field. */
  status_code: z.ZodNumber;
}> = z.object({
  detail: z.string(),
  code: z.enum(['provider_refused']),
  data: z.unknown(),
  headers: z.record(z.string(), z.string()),
  status_code: z.number().int(),
});

/** How to forward a request; every field may be left out. */
export const ExternalForwardRequest: z.ZodObject<{
  /** Fetch and join all pages of what is paged by `page` and `X-Pages`; the rest answers as without it. `false` where absent. */
  all_pages: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
  /** Look up the names behind the ids in the answer. `false` where absent. */
  id_annotations: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
  /** Id of the character whose access is used; the caller's own where absent. */
  on_behalf_of: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
  /** Query parameters of the forwarded request: text, numbers, booleans, or lists of them. `{}` where absent. */
  params: z.ZodOptional<z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodNullable<z.ZodUnion<[z.ZodString, z.ZodNumber, z.ZodBoolean, z.ZodArray<z.ZodUnion<[z.ZodString, z.ZodNumber, z.ZodBoolean]>>]>>>>>;
}> = z.object({
  all_pages: z.boolean().nullable().optional(),
  id_annotations: z.boolean().nullable().optional(),
  on_behalf_of: z.number().int().min(1).max(9007199254740991).nullable().optional(),
  params: z.record(z.string(), z.union([text(0, 4000), z.number(), z.boolean(), z.array(z.union([text(0, 4000), z.number(), z.boolean()])).max(10000)]).nullable()).nullable().optional(),
});

/** The result of one check of the service. */
export const Finding: z.ZodObject<{
  /** What was looked at. */
  about: z.ZodString;
  /** `good`: nothing to do. `mind`: should be looked at. `bad`: needs action at once. */
  state: Enum<'good' | 'mind' | 'bad'>;
  /** What was found, for people. */
  says: z.ZodString;
  /** What to do, if anything. */
  advice: z.ZodNullable<z.ZodString>;
}> = z.object({
  about: z.string(),
  state: z.enum(['good', 'mind', 'bad']),
  says: z.string(),
  advice: z.string().nullable(),
});

/** A set of users with an owner. */
export const Group: z.ZodObject<{
  /** true: members may log in. false: members may not log in, whatever other groups say. null: no effect. */
  authorized_to_login: z.ZodNullable<z.ZodBoolean>;
  /** When it was made here. */
  created_on: z.ZodString;
  /** Free text. */
  description: z.ZodString;
  /** Id of the group: 24 hexadecimal digits. */
  group_id: z.ZodString;
  /** Name of the group. */
  group_name: z.ZodString;
  /** Kept by the service itself: it follows the members of a corporation, an alliance or a coalition, or those who proved their voice identity. */
  is_autogroup: z.ZodBoolean;
  /** Who belongs to it. */
  members: z.ZodArray<typeof UserShort>;
  /** Null where the owner was deleted or handed over, or there never was one. */
  owner: z.ZodNullable<typeof UserShort>;
  /** When it was last changed here. */
  updated_on: z.ZodString;
}> = z.object({
  authorized_to_login: z.boolean().nullable(),
  created_on: z.string().datetime(),
  description: z.string(),
  group_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  group_name: z.string(),
  is_autogroup: z.boolean(),
  members: z.array(UserShort),
  owner: UserShort.nullable(),
  updated_on: z.string().datetime(),
});

/** Who may join a group, who decides about it, and who must leave. */
export const GroupPolicy: z.ZodObject<{
  /** closed: the owner adds members; application: somebody decides; open: eligible users may join. */
  joining: Enum<'closed' | 'application' | 'open'>;
  /** Who may see the policy, and finds the group among those to join. */
  visible_to: Enum<'everyone' | 'eligible' | 'members'>;
  /** Who may be a member. The owner always may. */
  eligible: z.ZodObject<{
    /** Members of one of these alliances, corporations and coalitions, where any is named. */
    alliances: z.ZodArray<z.ZodNumber>;
    /** Members of one of these alliances, corporations and coalitions, where any is named. */
    corporations: z.ZodArray<z.ZodNumber>;
    /** Members of one of these alliances, corporations and coalitions, where any is named. */
    coalitions: z.ZodArray<z.ZodString>;
    /** Members of at least one of these groups, where any is named. */
    groups_any: z.ZodArray<z.ZodString>;
    /** Members of none of these groups. */
    groups_none: z.ZodArray<z.ZodString>;
    /** Of at least this clearance level. */
    min_level: z.ZodNumber;
  }>;
  /** Who decides applications, besides the owner and level 9. */
  moderators: z.ZodObject<{
    /** Ids of characters. */
    users: z.ZodArray<z.ZodNumber>;
    /** Ids of groups whose members decide, too. */
    groups: z.ZodArray<z.ZodString>;
  }>;
  /** character: each character must be eligible itself; person: a character is eligible if one character of its person meets all conditions, and none of the person's characters is in an excluded group. Level 9 is needed to set or change a policy with `person`. The owner of a hand-made group that it names in `groups_any` or `groups_none` can find out whose alt somebody is, by adding characters. */
  reach: Enum<'character' | 'person'>;
  /** Hours for which a member stays after ceasing to be eligible. Who was added by hand and never was eligible stays. */
  grace_hours: z.ZodNumber;
  /** Hours after a rejection before the next application. */
  reapply_hours: z.ZodNumber;
  /** What applicants are asked, at most 4096 bytes of UTF-8 in all. */
  questions: z.ZodArray<z.ZodString>;
  /** Days after which an undecided application ends. */
  expire_days: z.ZodNumber;
}> = z.object({
  joining: z.enum(['closed', 'application', 'open']),
  visible_to: z.enum(['everyone', 'eligible', 'members']),
  eligible: z.object({
    alliances: z.array(z.number().int()),
    corporations: z.array(z.number().int()),
    coalitions: z.array(z.string().regex(new RegExp('^[0-9a-f]{24}$'))),
    groups_any: z.array(z.string().regex(new RegExp('^[0-9a-f]{24}$'))),
    groups_none: z.array(z.string().regex(new RegExp('^[0-9a-f]{24}$'))),
    min_level: z.number().int(),
  }),
  moderators: z.object({
    users: z.array(z.number().int()),
    groups: z.array(z.string().regex(new RegExp('^[0-9a-f]{24}$'))),
  }),
  reach: z.enum(['character', 'person']),
  grace_hours: z.number().int(),
  reapply_hours: z.number().int(),
  questions: z.array(z.string()),
  expire_days: z.number().int(),
});

/** An invitation: used once, valid for 24 hours, with any dynamic app token. */
export const GuestCode: z.ZodObject<{
  /** To be sent as `state_code` to `POST /token/use/from/dyn`. */
  state_code: z.ZodString;
}> = z.object({
  state_code: z.string(),
});

/** One value that would change, and whose. */
export const HeldDetail: z.ZodObject<{
  /** Name of the field. */
  field: z.ZodString;
  /** Null if there was no value. */
  before: z.ZodNullable<z.ZodUnion<[z.ZodString, z.ZodNumber, z.ZodBoolean, z.ZodArray<z.ZodString>]>>;
  /** What it is now; null where there is nothing any more. */
  after: z.ZodNullable<z.ZodUnion<[z.ZodString, z.ZodNumber, z.ZodBoolean, z.ZodArray<z.ZodString>]>>;
  /** Who, or what, would change. */
  target: typeof Target;
}> = z.object({
  field: z.string(),
  before: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).nullable(),
  after: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).nullable(),
  target: Target,
});

/** What the runs of a job would take away from so many that nothing is changed for now. */
export const HeldChange: z.ZodObject<{
  /** Names exactly these changes: other ones have another id. */
  held_id: z.ZodString;
  /** The job whose runs find them. */
  job_id: z.ZodString;
  /** Users who would lose something, indirectly too. */
  losers: z.ZodNumber;
  /** Users that the run looked at. */
  looked_at: z.ZodNumber;
  /** When a run found exactly these for the first time. */
  first_found_on: z.ZodString;
  /** When they counted last as found. */
  found_on: z.ZodString;
  /** In how many runs that were far enough apart; a few, who would not be held back alone, may be found in fewer. */
  found: z.ZodNumber;
  /** So many, and they are let through. */
  needed: z.ZodNumber;
  /** About when that will be, if every run finds them again; null: no run is scheduled. */
  passes_on: z.ZodNullable<z.ZodString>;
  /** What would change, organizations first: the first 500 of it. */
  details: z.ZodArray<typeof HeldDetail>;
  /** How much would change besides. */
  more: z.ZodNumber;
}> = z.object({
  held_id: z.string(),
  job_id: z.string(),
  losers: z.number().int(),
  looked_at: z.number().int(),
  first_found_on: z.string().datetime(),
  found_on: z.string().datetime(),
  found: z.number().int(),
  needed: z.number().int(),
  passes_on: z.string().datetime().nullable(),
  details: z.array(HeldDetail),
  more: z.number().int(),
});

/** A scheduled background job. */
export const Job: z.ZodObject<{
  /** Whether several missed runs become one: always true. */
  coalesce: z.ZodBoolean;
  /** The queue that runs it. */
  executor: z.ZodString;
  /** The handler. */
  function: z.ZodString;
  /** The schedule's name. */
  job_id: z.ZodString;
  /** How many runs at once. */
  max_instances: z.ZodNullable<z.ZodNumber>;
  /** Seconds after which a missed run is dropped; null: never. */
  misfire_grace_time: z.ZodNullable<z.ZodNumber>;
  /** Title of the job, for people. */
  name: z.ZodString;
  /** When it runs next; null if it runs only on request. */
  next_run_time: z.ZodNullable<z.ZodString>;
  /** The cron expression, in the time zone of the instance: UTC unless it says otherwise. */
  trigger: z.ZodNullable<z.ZodString>;
}> = z.object({
  coalesce: z.boolean(),
  executor: z.string(),
  function: z.string(),
  job_id: z.string(),
  max_instances: z.number().int().nullable(),
  misfire_grace_time: z.number().int().nullable(),
  name: z.string(),
  next_run_time: z.string().datetime().nullable(),
  trigger: z.string().nullable(),
});

/** The result of a dry run. */
export const JobDryRun: z.ZodObject<{
  /** The schedule's name. */
  job_id: z.ZodString;
  /** What a run would change now, one entry for each change. */
  changes: z.ZodArray<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
}> = z.object({
  job_id: z.string(),
  changes: z.array(z.record(z.string(), z.unknown())),
});

/** A run that was requested. */
export const JobRun: z.ZodObject<{
  /** The schedule's name. */
  job_id: z.ZodString;
  /** Id of this run, as in the logs. */
  run_id: z.ZodString;
}> = z.object({
  job_id: z.string(),
  run_id: z.string(),
});

/** A group that can be joined, and whether the caller can join it. */
export const JoinableGroup: z.ZodObject<{
  /** The group. */
  group: typeof GroupShort;
  /** closed: the owner adds members; application: somebody decides; open: eligible users may join. */
  joining: Enum<'closed' | 'application' | 'open'>;
  /** Whether the caller could join, or apply, now. */
  may_join: z.ZodBoolean;
  /** Why, or why not, for people. */
  why: z.ZodString;
  /** What applicants are asked, at most 4096 bytes of UTF-8 in all. */
  questions: z.ZodArray<z.ZodString>;
  /** The caller's pending application, if any. */
  application_id: z.ZodNullable<z.ZodString>;
}> = z.object({
  group: GroupShort,
  joining: z.enum(['closed', 'application', 'open']),
  may_join: z.boolean(),
  why: z.string(),
  questions: z.array(z.string()),
  application_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')).nullable(),
});

/** A sign-in that was started. */
export const Login: z.ZodObject<{
  /** Where to send the player: the sign-on page of the provider. */
  login_url: z.ZodString;
  /** Returned with the user token. Used up by the sign-in that succeeds; valid for 10 minutes, and for another 10 after a player was asked to grant more scopes. */
  state_code: z.ZodString;
}> = z.object({
  login_url: z.string(),
  state_code: z.string(),
});

/** RS256 is what every application of OpenID Connect understands. */
export const SigningAlgorithm: Enum<'RS256' | 'EdDSA'> = z.enum(['RS256', 'EdDSA']);

/** A new application, with its secret. */
export const NewOidcClient: z.ZodObject<{
  /** What the application calls itself in the protocol. */
  client_id: z.ZodString;
  /** How the application is called where people are asked whether it may know them. */
  client_name: z.ZodString;
  /** Where browsers come back to, 1 to 20: https, or http of localhost and loopback addresses. Compared exactly, letter by letter. */
  redirect_uris: z.ZodArray<z.ZodString>;
  /** Where browsers may go to after a logout; compared exactly, too. */
  post_logout_redirect_uris: z.ZodArray<z.ZodString>;
  /** Called by POST when a session of the application ends; null where nothing is called. Addresses that are not public are refused unless CALLBACK_ALLOW_PRIVATE is set. */
  backchannel_logout_uri: z.ZodNullable<z.ZodString>;
  /** Whether it has no secret. */
  public: z.ZodBoolean;
  /** Ids of groups, autogroups too: users who are in none of them are refused. Null: everybody who may log in is admitted. Empty: the groups were deleted, and nobody is. */
  allowed_groups: z.ZodNullable<z.ZodArray<z.ZodString>>;
  /** Whether people are not asked before it first learns who they are. */
  first_party: z.ZodBoolean;
  /** What its ID tokens are signed with. */
  id_token_signed_response_alg: typeof SigningAlgorithm;
  /** When it was made here. */
  created_on: z.ZodString;
  /** When it was last issued tokens, to the minute; null if never. */
  last_used_on: z.ZodNullable<z.ZodString>;
  /** Shown only in this answer; a public application has none. */
  client_secret: z.ZodOptional<z.ZodString>;
}> = z.object({
  client_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
  post_logout_redirect_uris: z.array(z.string()),
  backchannel_logout_uri: z.string().nullable(),
  public: z.boolean(),
  allowed_groups: z.array(z.string().regex(new RegExp('^[0-9a-f]{24}$'))).nullable(),
  first_party: z.boolean(),
  id_token_signed_response_alg: SigningAlgorithm,
  created_on: z.string().datetime(),
  last_used_on: z.string().datetime().nullable(),
  client_secret: z.string().optional(),
});

/** A new webhook with its secret. */
export const NewWebhook: z.ZodObject<{
  /** Names the webhook: 24 hexadecimal digits. */
  webhook_id: z.ZodString;
  /** Where the events are posted to. */
  url: z.ZodString;
  /** Types of events, `group.*` and `*` among them. */
  types: z.ZodArray<z.ZodString>;
  /** Of events about groups, only those about these; null: all. */
  group_ids: z.ZodNullable<z.ZodArray<z.ZodString>>;
  /** Whether deliveries are sent in the order of their positions, each after the one before it has succeeded. */
  ordered: z.ZodBoolean;
  /** Whether anything is delivered. */
  enabled: z.ZodBoolean;
  /** Why nothing is delivered. */
  disabled_because: z.ZodNullable<typeof DisabledReason>;
  /** Since when nothing is delivered. */
  disabled_on: z.ZodNullable<z.ZodString>;
  /** Events up to this one were taken up, whether or not they have been delivered yet. */
  position: z.ZodNumber;
  /** Deliveries that are waiting for their next try, or are under way. */
  waiting: z.ZodNumber;
  /** Tries that failed since one succeeded. */
  failures: z.ZodNumber;
  /** The application that it belongs to. */
  app_token: z.ZodNullable<z.ZodString>;
  /** The user whom it belongs to, where it was made with a user token. */
  owner_id: z.ZodNullable<z.ZodNumber>;
  /** When it was made here. */
  created_on: z.ZodString;
  /** When it was last changed here. */
  updated_on: z.ZodString;
  /** Signs the deliveries, as Standard Webhooks 1.0 has it: `whsec_` and 32 bytes in base64. Shown this once. */
  secret: z.ZodString;
}> = z.object({
  webhook_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  url: z.string(),
  types: z.array(z.string()),
  group_ids: z.array(z.string().regex(new RegExp('^[0-9a-f]{24}$'))).nullable(),
  ordered: z.boolean(),
  enabled: z.boolean(),
  disabled_because: DisabledReason.nullable(),
  disabled_on: z.string().datetime().nullable(),
  position: z.number().int(),
  waiting: z.number().int(),
  failures: z.number().int(),
  app_token: z.string().nullable(),
  owner_id: z.number().int().nullable(),
  created_on: z.string().datetime(),
  updated_on: z.string().datetime(),
  secret: z.string(),
});

/** An application that lets people sign in here by OpenID Connect. */
export const OidcClient: z.ZodObject<{
  /** What the application calls itself in the protocol. */
  client_id: z.ZodString;
  /** How the application is called where people are asked whether it may know them. */
  client_name: z.ZodString;
  /** Where browsers come back to, 1 to 20: https, or http of localhost and loopback addresses. Compared exactly, letter by letter. */
  redirect_uris: z.ZodArray<z.ZodString>;
  /** Where browsers may go to after a logout; compared exactly, too. */
  post_logout_redirect_uris: z.ZodArray<z.ZodString>;
  /** Called by POST when a session of the application ends; null where nothing is called. Addresses that are not public are refused unless CALLBACK_ALLOW_PRIVATE is set. */
  backchannel_logout_uri: z.ZodNullable<z.ZodString>;
  /** Whether it has no secret. */
  public: z.ZodBoolean;
  /** Ids of groups, autogroups too: users who are in none of them are refused. Null: everybody who may log in is admitted. Empty: the groups were deleted, and nobody is. */
  allowed_groups: z.ZodNullable<z.ZodArray<z.ZodString>>;
  /** Whether people are not asked before it first learns who they are. */
  first_party: z.ZodBoolean;
  /** What its ID tokens are signed with. */
  id_token_signed_response_alg: typeof SigningAlgorithm;
  /** When it was made here. */
  created_on: z.ZodString;
  /** When it was last issued tokens, to the minute; null if never. */
  last_used_on: z.ZodNullable<z.ZodString>;
}> = z.object({
  client_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
  post_logout_redirect_uris: z.array(z.string()),
  backchannel_logout_uri: z.string().nullable(),
  public: z.boolean(),
  allowed_groups: z.array(z.string().regex(new RegExp('^[0-9a-f]{24}$'))).nullable(),
  first_party: z.boolean(),
  id_token_signed_response_alg: SigningAlgorithm,
  created_on: z.string().datetime(),
  last_used_on: z.string().datetime().nullable(),
});

/** A new secret of an application. */
export const OidcClientSecret: z.ZodObject<{
  /** The application. */
  client_id: z.ZodString;
  /** Shown this once. */
  client_secret: z.ZodString;
}> = z.object({
  client_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  client_secret: z.string(),
});

/** A character of a person. */
export const PersonCharacter: z.ZodObject<{
  user: typeof UserShort;
  /** proven: a sign-in of the last 90 days or a valid refresh token proves the owner. stale: neither does. changed: the game says that the character has a new owner, who has not signed in yet. */
  ownership: Enum<'proven' | 'stale' | 'changed'>;
  /** When its present owner first signed in with it; null if never. */
  proven_on: z.ZodNullable<z.ZodString>;
  /** State of its refresh tokens, as in tracking. */
  tracking: Enum<'valid' | 'invalid' | 'none'>;
}> = z.object({
  user: UserShort,
  ownership: z.enum(['proven', 'stale', 'changed']),
  proven_on: z.string().datetime().nullable(),
  tracking: z.enum(['valid', 'invalid', 'none']),
});

/** One or more characters of one human. */
export const Person: z.ZodObject<{
  /** Id of the person; that of a person of one character ends with its first link. Where characters are hidden it is that of the visible one with the smallest id alone: a common id would tell who belongs together. */
  person_id: z.ZodString;
  /** The main character of the person; null if the caller may not see it. */
  main: z.ZodNullable<typeof UserShort>;
  /** Those within reach, ordered by name ignoring case, then by id. */
  characters: z.ZodArray<typeof PersonCharacter>;
  /** How many more there are, beyond the read authority of the caller. */
  hidden: z.ZodNumber;
}> = z.object({
  person_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  main: UserShort.nullable(),
  characters: z.array(PersonCharacter),
  hidden: z.number().int().min(0),
});

/** What happened to a character of a person. */
export const PersonChange: z.ZodObject<{
  /** When it happened. */
  occurred_on: z.ZodString;
  /** linked: proven by a user token. unlinked: taken out by one of the person. owner_changed: handed to another human. deleted: the user is gone. merged, split: by an administrator. */
  happened: Enum<'linked' | 'unlinked' | 'owner_changed' | 'deleted' | 'merged' | 'split'>;
  character: typeof UserShort;
  /** The person that it left; null if it was not linked. */
  from_person: z.ZodNullable<z.ZodString>;
  /** The person that it joined; null if it is not linked now. */
  to_person: z.ZodNullable<z.ZodString>;
  /** Who did it; null for the service itself or a deleted user. */
  by: z.ZodNullable<typeof UserShort>;
  /** The reason that an administrator gave. */
  reason: z.ZodNullable<z.ZodString>;
}> = z.object({
  occurred_on: z.string().datetime(),
  happened: z.enum([
    'linked',
    'unlinked',
    'owner_changed',
    'deleted',
    'merged',
    'split',
  ]),
  character: UserShort,
  from_person: z.string().regex(new RegExp('^[0-9a-f]{24}$')).nullable(),
  to_person: z.string().regex(new RegExp('^[0-9a-f]{24}$')).nullable(),
  by: UserShort.nullable(),
  reason: z.string().nullable(),
});

/** The two persons that one became. */
export const PersonSplit: z.ZodObject<{
  /** The person without them. */
  person: typeof Person;
  /** The person that they are now. */
  split_off: typeof Person;
}> = z.object({
  person: Person,
  split_off: Person,
});

/** A new application token. */
export const PostAppToken: z.ZodObject<{
  /** http or https URL of at most 2000 characters, without user, password or fragment. Where a sign-in ends: it adds `state_code` and `user_token` to the query. */
  callback: z.ZodString;
  /** A comment for people, for example the application's name. */
  comments: z.ZodOptional<z.ZodNullable<z.ZodString>>;
}> = z.object({
  callback: z.string(),
  comments: text(0, 4000).nullable().optional(),
});

/** A wish to join a group. Message and answers hold at most 8192 bytes of UTF-8 in all. */
export const PostApplication: z.ZodObject<{
  /** What to tell those who decide. */
  message: z.ZodOptional<z.ZodNullable<z.ZodString>>;
  /** An answer to each question of the group, in its order. */
  answers: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
  /** The questions that these answers are to: a 409 if the group asks others by now, or in another order. Not checked without them. */
  questions: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
}> = z.object({
  message: text(0, 4000).nullable().optional(),
  answers: z.array(text(0, 4000)).max(20).nullable().optional(),
  questions: z.array(text(1, 500)).max(20).nullable().optional(),
});

/** A new coalition. */
export const PostCoalition: z.ZodObject<{
  /** Name of the coalition. */
  coalition_name: z.ZodString;
  /** The short form of the name. */
  ticker: z.ZodString;
}> = z.object({
  coalition_name: text(1, 100),
  ticker: text(1, 20),
});

/** A new group. */
export const PostGroup: z.ZodObject<{
  /** Name of the group. */
  group_name: z.ZodString;
  /** Empty where absent. */
  description: z.ZodOptional<z.ZodNullable<z.ZodString>>;
}> = z.object({
  group_name: text(1, 100),
  description: text(0, 4000).nullable().optional(),
});

/** A sign-in to start. */
export const PostLogin: z.ZodObject<{
  /** Scopes to ask the player for; `["publicData"]` where absent. */
  scopes: z.ZodOptional<z.ZodNullable<z.ZodArray<typeof ExtScope>>>;
  /** A valid state code of the calling token, or the code of an invitation; generated if absent. */
  state_code: z.ZodOptional<z.ZodNullable<z.ZodString>>;
}> = z.object({
  scopes: z.array(ExtScope).max(10000).nullable().optional(),
  state_code: text(1, 100).nullable().optional(),
});

/** Which person to merge into another one, and why. */
export const PostMerge: z.ZodObject<{
  /** The person whose characters are moved to this one. */
  person_id: z.ZodString;
  /** The reason; stored in the person's history. */
  reason: z.ZodString;
  /** Answer what would change, without changing it. */
  dry_run: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
}> = z.object({
  person_id: z.string().regex(new RegExp('^[0-9a-fA-F]{24}$')),
  reason: text(1, 1000),
  dry_run: z.boolean().nullable().optional(),
});

/** A new application. */
export const PostOidcClient: z.ZodObject<{
  /** How the application is called where people are asked whether it may know them. */
  client_name: z.ZodString;
  /** Where browsers come back to, 1 to 20: https, or http of localhost and loopback addresses. Compared exactly, letter by letter. */
  redirect_uris: z.ZodArray<z.ZodString>;
  /** Where browsers may go to after a logout; compared exactly, too. */
  post_logout_redirect_uris: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
  /** Called by POST when a session of the application ends; null where nothing is called. Addresses that are not public are refused unless CALLBACK_ALLOW_PRIVATE is set. An empty text removes it. */
  backchannel_logout_uri: z.ZodOptional<z.ZodNullable<z.ZodString>>;
  /** Ids of groups, autogroups too: users who are in none of them are refused. An empty list removes the restriction; it changes nothing where the list is empty because its groups were deleted. */
  allowed_groups: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
  /** Whether people are not asked before it first learns who they are. */
  first_party: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
  /** What its ID tokens are signed with. RS256 at first, or EdDSA where the service has no RSA key. */
  id_token_signed_response_alg: z.ZodOptional<z.ZodNullable<typeof SigningAlgorithm>>;
  /** Whether it runs where no secret is safe, in a browser or on a phone: it gets none, and PKCE proves it. Never changes. */
  public: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
}> = z.object({
  client_name: text(1, 100),
  redirect_uris: z.array(z.string()).min(1).max(20),
  post_logout_redirect_uris: z.array(z.string()).max(20).nullable().optional(),
  backchannel_logout_uri: z.string().nullable().optional(),
  allowed_groups: z.array(z.string().regex(new RegExp('^[0-9a-fA-F]{24}$'))).max(10000).nullable().optional(),
  first_party: z.boolean().nullable().optional(),
  id_token_signed_response_alg: SigningAlgorithm.nullable().optional(),
  public: z.boolean().nullable().optional(),
});

/** The proof that another character is one’s own. */
export const PostPersonCharacter: z.ZodObject<{
  /** A user token of the other character, from a sign-in of the last 10 minutes through the same application. */
  user_token: z.ZodString;
}> = z.object({
  user_token: z.string(),
});

/** From where on to deliver again. */
export const PostReplay: z.ZodObject<{
  /** A position, as a number or like the cursors of the feed as text: the events after it are delivered again, under the ids that they had. */
  after: z.ZodUnion<[z.ZodNumber, z.ZodString]>;
}> = z.object({
  after: z.union([z.number().int().min(0).max(9007199254740991), z.string().regex(new RegExp('^(0|[1-9][0-9]{0,15})$'))]),
});

/** Which characters to take out of a person, and why. */
export const PostSplit: z.ZodObject<{
  /** Ids of the characters that become a person of their own. */
  characters: z.ZodArray<z.ZodNumber>;
  /** The reason; stored in the person's history. */
  reason: z.ZodString;
  /** Answer what would change, without changing it. */
  dry_run: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
}> = z.object({
  characters: z.array(z.number().int().min(1).max(9007199254740991)).min(1).max(1000),
  reason: text(1, 1000),
  dry_run: z.boolean().nullable().optional(),
});

/** A new webhook. */
export const PostWebhook: z.ZodObject<{
  /** http or https URL of at most 2000 characters, without user, password or fragment. Where the events are posted to. */
  url: z.ZodString;
  /** Types of events; `group.*` means all events of groups, `*` all types, including future ones. */
  types: z.ZodArray<z.ZodString>;
  /** Of events about groups, only those about these; null: about all. */
  group_ids: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
  /** Whether deliveries are sent in the order of their positions, each after the one before it has succeeded. Otherwise many at the same time; false where absent. */
  ordered: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
}> = z.object({
  url: z.string(),
  types: z.array(z.string()).min(1).max(100),
  group_ids: z.array(z.string().regex(new RegExp('^[0-9a-fA-F]{24}$'))).max(100).nullable().optional(),
  ordered: z.boolean().nullable().optional(),
});

/** What one change would give to, or take from, so many users. */
export const PreviewChange: z.ZodObject<{
  /** What is gained or lost: the permission to log in, a clearance level, the membership in a group (autogroups too), or a refresh token that covers all required scopes. */
  about: Enum<'login' | 'level' | 'group' | 'validity'>;
  /** Whether these users would gain it or lose it. */
  effect: Enum<'gained' | 'lost'>;
  /** Which group, where it is about one; else null. An autogroup that the change would make has no id yet that will last. */
  group: z.ZodNullable<typeof GroupShort>;
  /** The level before, where it is about levels; else null. */
  from_level: z.ZodNullable<z.ZodNumber>;
  /** The level afterwards, where it is about levels; else null, as of a user who is deleted. */
  to_level: z.ZodNullable<z.ZodNumber>;
  /** How many users. */
  count: z.ZodNumber;
  /** The first 100 of them, ordered by name ignoring case, then by id. */
  users: z.ZodArray<typeof UserShort>;
}> = z.object({
  about: z.enum([
    'login',
    'level',
    'group',
    'validity',
  ]),
  effect: z.enum(['gained', 'lost']),
  group: GroupShort.nullable(),
  from_level: z.number().int().nullable(),
  to_level: z.number().int().nullable(),
  count: z.number().int(),
  users: z.array(UserShort),
});

/** What a change would do to people. Nothing was stored. It answers `dry_run=true` alone, as `application/vnd.castellan.preview+json`; the usual answer of a deletion has no body. */
export const Preview: z.ZodObject<{
  /** One entry for each right that anybody would gain or lose, by the policies of groups that the caller may see, too, where no grace is left; empty if the change affects nobody. */
  changes: z.ZodArray<typeof PreviewChange>;
}> = z.object({
  changes: z.array(PreviewChange),
});

/** Body of an error. */
export const Problem: z.ZodObject<{
  /** What went wrong, in one sentence. */
  detail: z.ZodString;
  code: typeof ErrorCode;
}> = z.object({
  detail: z.string(),
  code: ErrorCode,
});

/** What to change about the local record of an alliance. */
export const PutAlliance: z.ZodObject<{
  /** Replaces the required scopes, which are kept sorted and each once; null or absent leaves them as they are. */
  mandatory_ext_scopes: z.ZodOptional<z.ZodNullable<z.ZodArray<typeof ExtScope>>>;
}> = z.object({
  mandatory_ext_scopes: z.array(ExtScope).max(10000).nullable().optional(),
});

/** A decision, which is final. */
export const PutApplication: z.ZodObject<{
  /** Whether the applicant becomes a member. */
  decision: Enum<'approved' | 'rejected'>;
  /** Told to the applicant. */
  reason: z.ZodOptional<z.ZodNullable<z.ZodString>>;
  /** For moderators alone. */
  note: z.ZodOptional<z.ZodNullable<z.ZodString>>;
}> = z.object({
  decision: z.enum(['approved', 'rejected']),
  reason: text(0, 1000).nullable().optional(),
  note: text(0, 1000).nullable().optional(),
});

/** What to change about a coalition; null means the same as leaving a field out, an empty list is a list. */
export const PutCoalition: z.ZodObject<{
  /** Ids of registered alliances to add. */
  add_member_alliances: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodNumber>>>;
  /** Ids of registered corporations to add. */
  add_member_corporations: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodNumber>>>;
  /** Once set, it never returns to null. */
  authorized_to_login: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
  /** Replaces the required scopes, which are kept sorted and each once; null or absent leaves them as they are. */
  mandatory_ext_scopes: z.ZodOptional<z.ZodNullable<z.ZodArray<typeof ExtScope>>>;
  /** Replaces all member alliances; cannot be combined with additions or removals of alliances. */
  member_alliances: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodNumber>>>;
  /** Replaces all member corporations; cannot be combined with additions or removals of corporations. */
  member_corporations: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodNumber>>>;
  /** Ids of alliances to remove. */
  remove_member_alliances: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodNumber>>>;
  /** Ids of corporations to remove. */
  remove_member_corporations: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodNumber>>>;
  /** The short form of the name. */
  ticker: z.ZodOptional<z.ZodNullable<z.ZodString>>;
}> = z.object({
  add_member_alliances: z.array(z.number().int().min(1).max(9007199254740991)).max(10000).nullable().optional(),
  add_member_corporations: z.array(z.number().int().min(1).max(9007199254740991)).max(10000).nullable().optional(),
  authorized_to_login: z.boolean().nullable().optional(),
  mandatory_ext_scopes: z.array(ExtScope).max(10000).nullable().optional(),
  member_alliances: z.array(z.number().int().min(1).max(9007199254740991)).max(10000).nullable().optional(),
  member_corporations: z.array(z.number().int().min(1).max(9007199254740991)).max(10000).nullable().optional(),
  remove_member_alliances: z.array(z.number().int().min(1).max(9007199254740991)).max(10000).nullable().optional(),
  remove_member_corporations: z.array(z.number().int().min(1).max(9007199254740991)).max(10000).nullable().optional(),
  ticker: text(1, 20).nullable().optional(),
});

/** What to change about the local record of a corporation. */
export const PutCorporation: z.ZodObject<{
  /** Replaces the required scopes, which are kept sorted and each once; null or absent leaves them as they are. */
  mandatory_ext_scopes: z.ZodOptional<z.ZodNullable<z.ZodArray<typeof ExtScope>>>;
}> = z.object({
  mandatory_ext_scopes: z.array(ExtScope).max(10000).nullable().optional(),
});

/** What to change about a group; null means the same as leaving a field out, an empty list is a list. */
export const PutGroup: z.ZodObject<{
  /** Names of existing users to add. */
  add_members: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
  /** Once set, it never returns to null. */
  authorized_to_login: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
  /** Free text. */
  description: z.ZodOptional<z.ZodNullable<z.ZodString>>;
  /** Names of existing users; replaces all members, and cannot be combined with additions or removals. */
  members: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
  /** Name of an existing user, who becomes a member too. */
  owner: z.ZodOptional<z.ZodNullable<z.ZodString>>;
  /** Names of users to remove; the owner stays a member in any case. */
  remove_members: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
}> = z.object({
  add_members: z.array(text(1, 100)).max(10000).nullable().optional(),
  authorized_to_login: z.boolean().nullable().optional(),
  description: text(0, 4000).nullable().optional(),
  members: z.array(text(1, 100)).max(10000).nullable().optional(),
  owner: text(1, 100).nullable().optional(),
  remove_members: z.array(text(1, 100)).max(10000).nullable().optional(),
});

/** The fields of a policy to change; null means the same as leaving a field out. */
export const PutGroupPolicy: z.ZodObject<{
  /** closed: the owner adds members; application: somebody decides; open: eligible users may join. */
  joining: z.ZodOptional<Enum<'closed' | 'application' | 'open'>>;
  /** Who may see the policy, and finds the group among those to join. */
  visible_to: z.ZodOptional<Enum<'everyone' | 'eligible' | 'members'>>;
  /** Who may be a member. The owner always may. Replaces the former conditions as a whole. */
  eligible: z.ZodOptional<z.ZodNullable<z.ZodObject<{
    /** Members of one of these alliances, corporations and coalitions, where any is named. */
    alliances: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodNumber>>>;
    /** Members of one of these alliances, corporations and coalitions, where any is named. */
    corporations: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodNumber>>>;
    /** Members of one of these alliances, corporations and coalitions, where any is named. */
    coalitions: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
    /** Members of at least one of these groups, where any is named. */
    groups_any: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
    /** Members of none of these groups. */
    groups_none: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
    /** Of at least this clearance level. */
    min_level: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
  }>>>;
  /** Who decides applications, besides the owner and level 9. Replaces the former ones as a whole. */
  moderators: z.ZodOptional<z.ZodNullable<z.ZodObject<{
    /** Ids of characters. */
    users: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodNumber>>>;
    /** Ids of groups whose members decide, too. */
    groups: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
  }>>>;
  /** character: each character must be eligible itself; person: a character is eligible if one character of its person meets all conditions, and none of the person's characters is in an excluded group. Level 9 is needed to set or change a policy with `person`. The owner of a hand-made group that it names in `groups_any` or `groups_none` can find out whose alt somebody is, by adding characters. */
  reach: z.ZodOptional<Enum<'character' | 'person'>>;
  /** Hours for which a member stays after ceasing to be eligible. Who was added by hand and never was eligible stays. */
  grace_hours: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
  /** Hours after a rejection before the next application. */
  reapply_hours: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
  /** What applicants are asked, at most 4096 bytes of UTF-8 in all. */
  questions: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
  /** Days after which an undecided application ends. */
  expire_days: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
}> = z.object({
  joining: z.enum(['closed', 'application', 'open']).optional(),
  visible_to: z.enum(['everyone', 'eligible', 'members']).optional(),
  eligible: z.object({
    alliances: z.array(z.number().int().min(1).max(9007199254740991)).max(100).nullable().optional(),
    corporations: z.array(z.number().int().min(1).max(9007199254740991)).max(100).nullable().optional(),
    coalitions: z.array(z.string().regex(new RegExp('^[0-9a-fA-F]{24}$'))).max(100).nullable().optional(),
    groups_any: z.array(z.string().regex(new RegExp('^[0-9a-fA-F]{24}$'))).max(100).nullable().optional(),
    groups_none: z.array(z.string().regex(new RegExp('^[0-9a-fA-F]{24}$'))).max(100).nullable().optional(),
    min_level: z.number().int().min(0).max(10).nullable().optional(),
  }).nullable().optional(),
  moderators: z.object({
    users: z.array(z.number().int().min(1).max(9007199254740991)).max(100).nullable().optional(),
    groups: z.array(z.string().regex(new RegExp('^[0-9a-fA-F]{24}$'))).max(100).nullable().optional(),
  }).nullable().optional(),
  reach: z.enum(['character', 'person']).optional(),
  grace_hours: z.number().int().min(0).max(8760).nullable().optional(),
  reapply_hours: z.number().int().min(0).max(8760).nullable().optional(),
  questions: z.array(text(1, 500)).max(20).nullable().optional(),
  expire_days: z.number().int().min(1).max(365).nullable().optional(),
});

/** What to change about an application. Null means the same as leaving a field out. */
export const PutOidcClient: z.ZodObject<{
  /** How the application is called where people are asked whether it may know them. */
  client_name: z.ZodOptional<z.ZodNullable<z.ZodString>>;
  /** Where browsers come back to, 1 to 20: https, or http of localhost and loopback addresses. Compared exactly, letter by letter. */
  redirect_uris: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
  /** Where browsers may go to after a logout; compared exactly, too. */
  post_logout_redirect_uris: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
  /** Called by POST when a session of the application ends; null where nothing is called. Addresses that are not public are refused unless CALLBACK_ALLOW_PRIVATE is set. An empty text removes it. */
  backchannel_logout_uri: z.ZodOptional<z.ZodNullable<z.ZodString>>;
  /** Ids of groups, autogroups too: users who are in none of them are refused. An empty list removes the restriction; it changes nothing where the list is empty because its groups were deleted. */
  allowed_groups: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
  /** Whether people are not asked before it first learns who they are. */
  first_party: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
  /** What its ID tokens are signed with. RS256 at first, or EdDSA where the service has no RSA key. */
  id_token_signed_response_alg: z.ZodOptional<z.ZodNullable<typeof SigningAlgorithm>>;
  /** Never changes: what it is may be sent, so that the body of the registration can be sent again; anything else is a 422. */
  public: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
}> = z.object({
  client_name: text(1, 100).nullable().optional(),
  redirect_uris: z.array(z.string()).min(1).max(20).nullable().optional(),
  post_logout_redirect_uris: z.array(z.string()).max(20).nullable().optional(),
  backchannel_logout_uri: z.string().nullable().optional(),
  allowed_groups: z.array(z.string().regex(new RegExp('^[0-9a-fA-F]{24}$'))).max(10000).nullable().optional(),
  first_party: z.boolean().nullable().optional(),
  id_token_signed_response_alg: SigningAlgorithm.nullable().optional(),
  public: z.boolean().nullable().optional(),
});

/** What to change about a person. */
export const PutPerson: z.ZodObject<{
  /** Id of the character of the person that becomes its main. */
  main: z.ZodNumber;
}> = z.object({
  main: z.number().int().min(1).max(9007199254740991),
});

/** What to change about a user. */
export const PutUser: z.ZodObject<{
  /** The new level; null or absent leaves it as it is. */
  clearance_level: z.ZodOptional<z.ZodNullable<z.ZodNumber>>;
}> = z.object({
  clearance_level: z.number().int().min(0).max(10).nullable().optional(),
});

/** What is to be another way about a webhook. */
export const PutWebhook: z.ZodObject<{
  /** Where the events are posted to from now on, what failed at the former URL included. At another host that begins at once; at the same one the pause that the receiver asked for stays, and how often it failed. */
  url: z.ZodOptional<z.ZodNullable<z.ZodString>>;
  /** The whole list of types. */
  types: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
  /** The whole list of groups; an empty list: all of them again. */
  group_ids: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodString>>>;
  /** Whether deliveries are sent in the order of their positions, each after the one before it has succeeded. */
  ordered: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
  /** False: nothing is delivered, and nothing is lost. True: it continues where it stopped, and failed deliveries of the last 30 days are retried. */
  enabled: z.ZodOptional<z.ZodNullable<z.ZodBoolean>>;
}> = z.object({
  url: z.string().nullable().optional(),
  types: z.array(z.string()).min(1).max(100).nullable().optional(),
  group_ids: z.array(z.string().regex(new RegExp('^[0-9a-fA-F]{24}$'))).max(100).nullable().optional(),
  ordered: z.boolean().nullable().optional(),
  enabled: z.boolean().nullable().optional(),
});

/** How the instance is. */
export const SystemStatus: z.ZodObject<{
  /** When all this was so. */
  as_of: z.ZodString;
  /** The worst state of all findings. */
  state: Enum<'good' | 'mind' | 'bad'>;
  /** The results of all checks, good ones included. */
  findings: z.ZodArray<typeof Finding>;
  /** Version of the process that answers. */
  version: z.ZodString;
  /** When that process was started. */
  started_on: z.ZodString;
  /** How many there are. */
  users: z.ZodObject<{
    /** Users without the built-in one and guests. */
    members: z.ZodNumber;
    /** Guests of a corporation. */
    guests: z.ZodNumber;
  }>;
  /** Of the game's sign-on. */
  refresh_tokens: z.ZodObject<{
    /** Refresh tokens that are valid. */
    valid: z.ZodNumber;
    /** Refresh tokens that the game has declared invalid. */
    invalid: z.ZodNumber;
  }>;
  /** All users were compared with the game since this time; null if that has not happened yet. */
  synced_on: z.ZodNullable<z.ZodString>;
  /** Errors that the game's API still allows in its present minute; null: it has not said. */
  provider_errors_left: z.ZodNullable<z.ZodNumber>;
  /** Crash reports of the last day. */
  crash_reports: z.ZodNumber;
  /** The scheduled jobs, by name. */
  jobs: z.ZodArray<z.ZodObject<{
    /** The schedule's name. */
    job_id: z.ZodString;
    /** When its last run began; null before the first one. */
    ran_on: z.ZodNullable<z.ZodString>;
    /** When it runs next. */
    next_run_time: z.ZodNullable<z.ZodString>;
    /** Runs that are due and wait for a worker. */
    waiting: z.ZodNumber;
    /** Runs that failed for good within a day. */
    failed: z.ZodNumber;
  }>>;
}> = z.object({
  as_of: z.string().datetime(),
  state: z.enum(['good', 'mind', 'bad']),
  findings: z.array(Finding),
  version: z.string(),
  started_on: z.string().datetime(),
  users: z.object({
    members: z.number().int().min(0),
    guests: z.number().int().min(0),
  }),
  refresh_tokens: z.object({
    valid: z.number().int().min(0),
    invalid: z.number().int().min(0),
  }),
  synced_on: z.string().datetime().nullable(),
  provider_errors_left: z.number().int().nullable(),
  crash_reports: z.number().int().min(0),
  jobs: z.array(z.object({
    job_id: z.string(),
    ran_on: z.string().datetime().nullable(),
    next_run_time: z.string().datetime().nullable(),
    waiting: z.number().int().min(0),
    failed: z.number().int().min(0),
  })),
});

/** A game character that signed in here, was registered as a CEO or from the list of members of its corporation, or the built-in user. */
export const User: z.ZodObject<{
  /** Id of the alliance of the corporation, if any. */
  alliance: z.ZodNullable<z.ZodNumber>;
  /** Scopes of the valid refresh tokens that this service holds for the user, sorted. */
  available_ext_scopes: z.ZodArray<z.ZodUnion<[typeof ExtScope, z.ZodNever]>>;
  /** Id of the character; 0 is the built-in user. */
  character_id: z.ZodNumber;
  /** Name of the character. */
  character_name: z.ZodString;
  /** -1 guest · 0 own data · 1/2 read/write in the corporation · 3/4 alliance · 5/6 coalition · 7/8 everybody · 9 administration · 10 superuser. */
  clearance_level: z.ZodNumber;
  /** Ids of the coalitions, through the alliance or the corporation. */
  coalitions: z.ZodArray<z.ZodString>;
  /** Id of the corporation in decimal digits; null for members of the game's own corporations. */
  corporation: z.ZodNullable<z.ZodString>;
  /** When it was made here. */
  created_on: z.ZodString;
  /** What corporation, alliance and coalitions together require, sorted. */
  cumulated_mandatory_ext_scopes: z.ZodArray<z.ZodUnion<[typeof ExtScope, z.ZodNever]>>;
  /** CEO of the alliance's executor corporation. */
  is_ceo_of_alliance: z.ZodBoolean;
  /** Whether it is the CEO of its corporation. */
  is_ceo_of_corporation: z.ZodBoolean;
  /** `[TICKER] name` with the alliance's ticker, else the corporation's, else the bare name. */
  tickered_name: z.ZodString;
  /** When it was last changed here. */
  updated_on: z.ZodString;
}> = z.object({
  alliance: z.number().int().nullable(),
  available_ext_scopes: z.array(ExtScope.or(z.string() as unknown as z.ZodNever)),
  character_id: z.number().int(),
  character_name: z.string(),
  clearance_level: z.number().int().min(-1).max(10),
  coalitions: z.array(z.string()),
  corporation: z.string().nullable(),
  created_on: z.string().datetime(),
  cumulated_mandatory_ext_scopes: z.array(ExtScope.or(z.string() as unknown as z.ZodNever)),
  is_ceo_of_alliance: z.boolean(),
  is_ceo_of_corporation: z.boolean(),
  tickered_name: z.string(),
  updated_on: z.string().datetime(),
});

/** A token as it is stored. Its text, the JWT, is shown once, when it is made. */
export const Token: z.ZodObject<{
  /** Where a sign-in that this app token started ends. */
  callback: z.ZodNullable<z.ZodString>;
  /** A comment by its creator. */
  comments: z.ZodNullable<z.ZodString>;
  /** When it was made here. */
  created_on: z.ZodString;
  /** Null for app tokens: they do not expire. */
  expires_on: z.ZodNullable<z.ZodString>;
  /** The user whose clearance counts. For a token made from a permanent app token, clearance_level is what the token can do: never above the present level of that app token's owner. */
  owner: typeof User;
  /** Uuid of the token that this one was made with; deleting that deletes this. */
  parent: z.ZodNullable<z.ZodString>;
  /** dyn: dynamic application token. per: permanent application token. use: user token. */
  token_type: Enum<'dyn' | 'per' | 'use'>;
  /** Id of the token; the token itself cannot be derived from it. */
  uuid: z.ZodString;
}> = z.object({
  callback: z.string().nullable(),
  comments: z.string().nullable(),
  created_on: z.string().datetime(),
  expires_on: z.string().datetime().nullable(),
  owner: User,
  parent: z.string().nullable(),
  token_type: z.enum(['dyn', 'per', 'use']),
  uuid: z.string(),
});

/** Every member in exactly one list, by the state of its refresh tokens. Guests and the built-in user are not members. */
export const Tracking: z.ZodObject<{
  /** At least one valid refresh token covers every scope that is required of the user. */
  valid_refresh_token: z.ZodArray<typeof UserShort>;
  /** There are refresh tokens, but each is invalid or lacks a required scope. */
  invalid_refresh_token: z.ZodArray<typeof UserShort>;
  /** No refresh token at all. */
  no_refresh_token: z.ZodArray<typeof UserShort>;
}> = z.object({
  valid_refresh_token: z.array(UserShort),
  invalid_refresh_token: z.array(UserShort),
  no_refresh_token: z.array(UserShort),
});

/** A group that a user is a member of. */
export const UserGroup: z.ZodObject<{
  /** Id of the group: 24 hexadecimal digits. */
  group_id: z.ZodString;
  /** Name of the group. */
  group_name: z.ZodString;
  /** Kept by the service itself: it follows a corporation, an alliance, a coalition, or the voice server. */
  is_autogroup: z.ZodBoolean;
  /** Whether the user owns the group. */
  is_owner: z.ZodBoolean;
}> = z.object({
  group_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  group_name: z.string(),
  is_autogroup: z.boolean(),
  is_owner: z.boolean(),
});

/** A new user token in its signed form. */
export const UserToken: z.ZodObject<{
  /** The token to send as `Authorization: Bearer …`. Shown this once. */
  user_token: z.ZodString;
}> = z.object({
  user_token: z.string(),
});

/** One thing wrong with a request. */
export const ValidationIssue: z.ZodObject<{
  /** Where: `path`, `query`, `header` or `body`, then the way to the value. */
  loc: z.ZodArray<z.ZodUnion<[z.ZodString, z.ZodNumber]>>;
  /** What is wrong with the value. */
  msg: z.ZodString;
  /** Kind of the issue, for programs. */
  type: z.ZodString;
}> = z.object({
  loc: z.array(z.union([z.string(), z.number().int()])),
  msg: z.string(),
  type: z.string(),
});

/** Path, query, headers or body are not what the operation takes. */
export const ValidationProblem: z.ZodObject<{
  /** Everything that is wrong with the request. */
  detail: z.ZodArray<typeof ValidationIssue>;
  /** What went wrong, for programs. */
  code: Enum<'invalid_request'>;
}> = z.object({
  detail: z.array(ValidationIssue),
  code: z.enum(['invalid_request']),
});

/** A nickname that proves who takes it. */
export const VoiceChallenge: z.ZodObject<{
  /** When the challenge ends. */
  expiration_datetime: z.ZodString;
  /** The nickname to take on the voice server: 20 letters and digits. */
  challenge_nickname: z.ZodString;
  user: typeof UserShort;
}> = z.object({
  expiration_datetime: z.string().datetime(),
  challenge_nickname: z.string(),
  user: UserShort,
});

/** Where events are sent. Its secret is shown once, when it is made. */
export const Webhook: z.ZodObject<{
  /** Names the webhook: 24 hexadecimal digits. */
  webhook_id: z.ZodString;
  /** Where the events are posted to. */
  url: z.ZodString;
  /** Types of events, `group.*` and `*` among them. */
  types: z.ZodArray<z.ZodString>;
  /** Of events about groups, only those about these; null: all. */
  group_ids: z.ZodNullable<z.ZodArray<z.ZodString>>;
  /** Whether deliveries are sent in the order of their positions, each after the one before it has succeeded. */
  ordered: z.ZodBoolean;
  /** Whether anything is delivered. */
  enabled: z.ZodBoolean;
  /** Why nothing is delivered. */
  disabled_because: z.ZodNullable<typeof DisabledReason>;
  /** Since when nothing is delivered. */
  disabled_on: z.ZodNullable<z.ZodString>;
  /** Events up to this one were taken up, whether or not they have been delivered yet. */
  position: z.ZodNumber;
  /** Deliveries that are waiting for their next try, or are under way. */
  waiting: z.ZodNumber;
  /** Tries that failed since one succeeded. */
  failures: z.ZodNumber;
  /** The application that it belongs to. */
  app_token: z.ZodNullable<z.ZodString>;
  /** The user whom it belongs to, where it was made with a user token. */
  owner_id: z.ZodNullable<z.ZodNumber>;
  /** When it was made here. */
  created_on: z.ZodString;
  /** When it was last changed here. */
  updated_on: z.ZodString;
}> = z.object({
  webhook_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  url: z.string(),
  types: z.array(z.string()),
  group_ids: z.array(z.string().regex(new RegExp('^[0-9a-f]{24}$'))).nullable(),
  ordered: z.boolean(),
  enabled: z.boolean(),
  disabled_because: DisabledReason.nullable(),
  disabled_on: z.string().datetime().nullable(),
  position: z.number().int(),
  waiting: z.number().int(),
  failures: z.number().int(),
  app_token: z.string().nullable(),
  owner_id: z.number().int().nullable(),
  created_on: z.string().datetime(),
  updated_on: z.string().datetime(),
});

/** One event on its way to one webhook. Kept for 30 days after it has ended. */
export const WebhookDelivery: z.ZodObject<{
  /** Of the event; the header `webhook-id` of every try. */
  delivery_id: z.ZodString;
  /** Type of the event, or `webhook.test`. */
  type: z.ZodString;
  /** Of the event; null for a test. */
  position: z.ZodNullable<z.ZodNumber>;
  /** `waiting`: for its next try, or under way. `failed`: it is not tried any more. */
  state: Enum<'waiting' | 'delivered' | 'failed'>;
  /** How often it was tried. */
  tries: z.ZodNumber;
  /** When it is tried next; null where it is not any more. */
  next_try_on: z.ZodNullable<z.ZodString>;
  /** When it was tried last. */
  tried_on: z.ZodNullable<z.ZodString>;
  /** What the receiver answered to the last try. */
  status: z.ZodNullable<z.ZodNumber>;
  /** Why the last try came to no answer. */
  fault: z.ZodNullable<z.ZodString>;
  /** When it was made here. */
  created_on: z.ZodString;
}> = z.object({
  delivery_id: z.string(),
  type: z.string(),
  position: z.number().int().nullable(),
  state: z.enum(['waiting', 'delivered', 'failed']),
  tries: z.number().int(),
  next_try_on: z.string().datetime().nullable(),
  tried_on: z.string().datetime().nullable(),
  status: z.number().int().nullable(),
  fault: z.string().nullable(),
  created_on: z.string().datetime(),
});

/** Body of a delivery. */
export const WebhookMessage: z.ZodObject<{
  /** Type of the event, or `webhook.test`. */
  type: z.ZodString;
  /** When it happened. */
  timestamp: z.ZodString;
  /** The event; of a test, which webhook it came by. */
  data: z.ZodUnion<[typeof Event, z.ZodObject<{
    /** Id of the webhook. */
    webhook_id: z.ZodString;
  }>]>;
}> = z.object({
  type: z.string(),
  timestamp: z.string().datetime(),
  data: z.union([Event, z.object({
    webhook_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  })]),
});

/** The new secret of a webhook. */
export const WebhookSecret: z.ZodObject<{
  /** Signs the deliveries, as Standard Webhooks 1.0 has it: `whsec_` and 32 bytes in base64. Shown this once. */
  secret: z.ZodString;
  /** Until then deliveries carry a signature by the former secret, too. */
  former_until: z.ZodString;
}> = z.object({
  secret: z.string(),
  former_until: z.string().datetime(),
});

/** Where a fact comes from. */
export const WhySource: z.ZodObject<{
  /** Kind of record; `hidden`: one that the caller may not see. */
  type: Enum<'corporation' | 'alliance' | 'coalition' | 'group' | 'hidden'>;
  /** Its id; null where it is hidden. */
  id: z.ZodNullable<z.ZodString>;
  /** Its name; null where it is hidden. */
  name: z.ZodNullable<z.ZodString>;
}> = z.object({
  type: z.enum([
    'corporation',
    'alliance',
    'coalition',
    'group',
    'hidden',
  ]),
  id: z.string().nullable(),
  name: z.string().nullable(),
});

/** A fact that an answer is based on. */
export const WhyFact: z.ZodObject<{
  /** Number of the rule that makes the fact count, as docs/rules.md has it. */
  rule: z.ZodString;
  /** The record that the fact comes from; null if it is the user itself, or none. */
  source: z.ZodNullable<typeof WhySource>;
  /** By which organization of the user's the source reaches it: `corporation`, `alliance` or `coalition`; null: directly. */
  via: z.ZodNullable<z.ZodString>;
  /** The fact, for people. */
  says: z.ZodString;
  /** Whether the answer or its reason would differ without this fact. */
  decisive: z.ZodBoolean;
  /** Id of the event that made it so, where that is known. */
  since_event: z.ZodNullable<z.ZodString>;
}> = z.object({
  rule: z.string(),
  source: WhySource.nullable(),
  via: z.string().nullable(),
  says: z.string(),
  decisive: z.boolean(),
  since_event: z.string().nullable(),
});

/** A change that would turn a no into a yes. */
export const WhyFix: z.ZodObject<{
  /** Who could do it: a user by name, an owner, or the level needed. */
  who: z.ZodString;
  /** What to do, for people. */
  text: z.ZodString;
  /** The operation of this document that does it, by its id. */
  operation: z.ZodString;
}> = z.object({
  who: z.string(),
  text: z.string(),
  operation: z.string(),
});

/** The answer to a question about a user, with its reasons; computed by the same code that decides. */
export const Why: z.ZodObject<{
  /** What was asked. */
  about: z.ZodString;
  /** `unknown` where the question has no answer for this user. */
  answer: Enum<'yes' | 'no' | 'unknown'>;
  /** The time that the answer is valid for. */
  as_of: z.ZodString;
  /** Position of the last event that the answer takes into account. */
  position: z.ZodNullable<z.ZodNumber>;
  /** The answer with its reason, for people. */
  sentence: z.ZodString;
  /** All facts that it is based on. */
  facts: z.ZodArray<typeof WhyFact>;
  /** Changes that would turn a no into a yes, and who could make them. */
  fixes: z.ZodArray<typeof WhyFix>;
}> = z.object({
  about: z.string(),
  answer: z.enum(['yes', 'no', 'unknown']),
  as_of: z.string().datetime(),
  position: z.number().int().nullable(),
  sentence: z.string(),
  facts: z.array(WhyFact),
  fixes: z.array(WhyFix),
});
