// Written by `npm run generate` from the contract; changes here are lost.
import { z } from 'zod';

/** Who did something. */
export const Actor = z.object({
  /** A user by a user token or a sign-in, an application by its own token, a job, the game, or a command beside the service. */
  kind: z.enum([
    'user',
    'app',
    'job',
    'provider',
    'cli',
  ]),
  /** Who answers for it; null where nobody does. */
  character_id: z.number().int().nullable(),
  /** The uuid of the token that was used. */
  token: z.string().nullable(),
  /** The application token that this one descends from. */
  app_token: z.string().nullable(),
  /** The character in whose name the game was asked. */
  on_behalf_of: z.number().int().nullable(),
});

/** A user by id and name. */
export const UserShort = z.object({
  /** Id of the character; 0 is the built-in user. */
  character_id: z.number().int(),
  /** Name of the character. */
  character_name: z.string(),
});

/** A permission that a player grants at the provider, over the external data of one character. */
export const ExtScope = z.enum([
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
export const CorporationShort = z.object({
  /** Id of the corporation in the game. */
  corporation_id: z.number().int(),
  /** Name of the corporation. */
  corporation_name: z.string(),
});

/** A registered alliance. One that closed keeps its last known executor and CEO. */
export const Alliance = z.object({
  /** Id of the alliance in the game. */
  alliance_id: z.number().int(),
  /** Name of the alliance. */
  alliance_name: z.string(),
  /** CEO of the executor corporation. */
  ceo: UserShort,
  /** What the alliance and its coalitions together require of a member, sorted. */
  cumulated_mandatory_ext_scopes: z.array(ExtScope),
  /** The corporation that leads the alliance. */
  executor_corporation: CorporationShort,
  /** What the alliance itself requires of its members. */
  mandatory_ext_scopes: z.array(ExtScope),
  /** The short form of the name. */
  ticker: z.string(),
  /** When it was last changed here. */
  updated_on: z.string().datetime(),
});

/** An alliance by id and name. */
export const AllianceShort = z.object({
  /** Id of the alliance in the game. */
  alliance_id: z.number().int(),
  /** Name of the alliance. */
  alliance_name: z.string(),
});

/** A new application token in its signed form. */
export const AppToken = z.object({
  /** The token to send as `Authorization: Bearer …`. Shown this once. */
  tkn: z.string(),
});

/** Why something happened that nobody asked for by itself. */
export const Cause = z.object({
  /** The event that this one follows from. */
  event_id: z.string().nullable(),
  /** The run of a job. */
  run_id: z.string().nullable(),
  /** The job that it was a run of. */
  job: z.string().nullable(),
});

/** A field that has another value now. */
export const ValueChange = z.object({
  /** Which field of the record. */
  field: z.string(),
  /** Null where there was nothing, or nothing yet. */
  before: z.union([z.union([z.string(), z.number(), z.boolean()]).nullable(), z.array(z.string())]),
  /** What it is now; null where there is nothing any more. */
  after: z.union([z.union([z.string(), z.number(), z.boolean()]).nullable(), z.array(z.string())]),
});

/** Ids that came into a list or left it: `members` are users. */
export const ListChange = z.object({
  /** Which field of the record. */
  field: z.string(),
  /** At most 500: more of them are told by several events. */
  added: z.array(z.number().int()),
  /** Ids of those who left. */
  removed: z.array(z.number().int()),
});

/** What an event changed. */
export const Change = z.union([ValueChange, ListChange]);

/** Where a character was. Docked in at most one of station and structure; in space in neither. */
export const CharacterLocation = z.object({
  /** Whether the character was in the game. */
  online: z.boolean(),
  /** The name that the player gave the ship. */
  ship_name: z.string(),
  /** Id of the type of the ship. */
  ship_type_id: z.number().int(),
  /** Name of the type of the ship. */
  ship_type_name: z.string(),
  /** Id of the solar system. */
  solar_system_id: z.number().int(),
  /** Name of the solar system. */
  solar_system_name: z.string(),
  /** Id of the station; null where not docked in one. */
  station_id: z.number().int().nullable(),
  /** Name of the station; null where not docked in one. */
  station_name: z.string().nullable(),
  /** Id of the structure; null where not docked in one. */
  structure_id: z.number().int().nullable(),
  /** Name of the structure; null where not docked in one, or where it cannot be had. */
  structure_name: z.string().nullable(),
  /** The moment that this tells of. */
  timestamp: z.string().datetime(),
  user: UserShort,
});

/** A character, corporation, alliance or mailing list that a mail went to. */
export const MailRecipient = z.object({
  /** Id of a character, corporation, alliance or mailing list. */
  recipient_id: z.number().int(),
  /** `Mailing list N` or `#N` where the name cannot be had. */
  recipient_name: z.string(),
});

/** A mail with its text. */
export const CharacterMail = z.object({
  /** Plain text with its line breaks. */
  body: z.string(),
  /** Id of who sent it. */
  from_id: z.number().int(),
  /** Name of who sent it. */
  from_name: z.string(),
  /** Id of the mail in the game. */
  mail_id: z.number().int(),
  /** Who the mail went to. */
  recipients: z.array(MailRecipient),
  /** Subject of the mail. */
  subject: z.string(),
  /** The moment that this tells of. */
  timestamp: z.string().datetime(),
});

/** The header of a mail. */
export const CharacterMailShort = z.object({
  from_character: UserShort,
  /** Id of the mail in the game. */
  mail_id: z.number().int(),
  /** Who the mail went to. */
  recipients: z.array(MailRecipient),
  /** Subject of the mail. */
  subject: z.string(),
  /** The moment that this tells of. */
  timestamp: z.string().datetime(),
});

/** Skill points at one moment. */
export const CharacterSkillPoints = z.object({
  /** The moment that this tells of. */
  timestamp: z.string().datetime(),
  /** Skill points in all. */
  total_sp: z.number().int(),
  /** Skill points that no skill was given yet. */
  unallocated_sp: z.number().int(),
});

/** The balance of a wallet at one moment. */
export const CharacterWalletBalance = z.object({
  /** In the currency of the game. */
  balance: z.number(),
  /** The moment that this tells of. */
  timestamp: z.string().datetime(),
});

/** Alliances and corporations that act together. A new one lets its members sign in. */
export const Coalition = z.object({
  /** true lets members in, false keeps them out whatever other groups say, null says nothing. */
  authorized_to_login: z.boolean().nullable(),
  /** Id of the coalition: 24 hexadecimal digits. */
  coalition_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  /** Name of the coalition. */
  coalition_name: z.string(),
  /** When it was made here. */
  created_on: z.string().datetime(),
  /** What the coalition requires of its members. */
  mandatory_ext_scopes: z.array(ExtScope),
  /** The alliances that are members. */
  member_alliances: z.array(AllianceShort),
  /** Corporations that are members directly, not through an alliance. */
  member_corporations: z.array(CorporationShort),
  /** The short form of the name. */
  ticker: z.string(),
  /** When it was last changed here. */
  updated_on: z.string().datetime(),
});

/** A coalition by id and name. */
export const CoalitionShort = z.object({
  /** Id of the coalition: 24 hexadecimal digits. */
  coalition_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  /** Name of the coalition. */
  coalition_name: z.string(),
});

/** The active configuration. Every secret is `**********`, passwords inside URLs too. */
export const Configuration = z.record(z.string(), z.unknown());

/** A registered corporation. One that closed keeps its last known CEO. */
export const Corporation = z.object({
  /** The alliance that it belongs to, if any. */
  alliance: AllianceShort.nullable(),
  ceo: UserShort,
  /** Id of the corporation in the game. */
  corporation_id: z.number().int(),
  /** Name of the corporation. */
  corporation_name: z.string(),
  /** What the corporation, its alliance and their coalitions together require of a member, sorted. */
  cumulated_mandatory_ext_scopes: z.array(ExtScope),
  /** What the corporation itself requires of its members. */
  mandatory_ext_scopes: z.array(ExtScope),
  /** The short form of the name. */
  ticker: z.string(),
  /** When it was last changed here. */
  updated_on: z.string().datetime(),
});

/** An error that nobody foresaw. A report of it is stored. */
export const CrashProblem = z.object({
  /** Always the same sentence: what happened is in the crash report. */
  detail: z.string(),
  /** What went wrong, for programs. */
  code: z.enum(['internal_error']),
  /** The stored report, for administrators: `GET /crash/{crash_report_id}`. Absent when none could be stored. */
  crash_report_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')).optional(),
});

/** What is known of an unforeseen error. Kept for 90 days; credentials are removed before it is stored. */
export const CrashReport = z.object({
  /** Names the record: 24 hexadecimal digits. */
  id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  /** Schema version of the record. */
  _version: z.literal(1),
  /** What was asked for. */
  request: z.object({
    /** Headers of the request, credentials redacted. */
    headers: z.record(z.string(), z.string()),
    /** Method of the request. */
    method: z.string(),
    /** Parameters of the URL. */
    params: z.record(z.string(), z.unknown()),
    /** Secrets in the query are redacted. */
    url: z.string(),
  }),
  /** The moment that this tells of. */
  timestamp: z.string().datetime(),
  /** The token of the failing request as it was then, without its text. */
  token: z.object({
    /** Names the token; the token itself is not to be had from it. */
    uuid: z.string(),
    /** Kind of the token: dynamic app, permanent app or user. */
    token_type: z.enum(['dyn', 'per', 'use']),
    owner: UserShort,
    /** When it was made here. */
    created_on: z.string().datetime(),
    /** When it ends; null where it does not end by itself. */
    expires_on: z.string().datetime().nullable(),
  }).nullable(),
  /** The stack trace. */
  trace: z.string(),
});

/** A crash report by its outline. */
export const CrashReportShort = z.object({
  /** Names the record: 24 hexadecimal digits. */
  id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  /** The moment that this tells of. */
  timestamp: z.string().datetime(),
  /** URL of the request; secrets in the query are redacted. */
  url: z.string(),
  /** Owner of the token of the failing request, if it had one. */
  user: UserShort.nullable(),
});

/**
 * What went wrong, for programs; each code comes with one status.
 *
 * - `http_unreadable` (400): The request is not readable as HTTP.
 * - `token_missing` (401): The request carries no token.
 * - `token_malformed` (401): What stands in the Authorization header is no token of this service.
 * - `token_invalid` (401): The token's signature, key, issuer or claims are not those of this service.
 * - `token_expired` (401): The token has expired: sign in again.
 * - `token_revoked` (401): The token was deleted, or is not known here.
 * - `token_type_refused` (401): The operation takes tokens of another type.
 * - `login_not_allowed` (401): Whoever answers for the token is not allowed to log in.
 * - `level_too_low` (403): The clearance level of the token's owner is too low.
 * - `no_authority` (403): There is no authority over the record that the request is about.
 * - `forbidden_to_all` (403): Nobody may do this, whatever their level.
 * - `not_found` (404): A record that the request names does not exist.
 * - `path_unknown` (404): The service has no such path.
 * - `ext_path_unknown` (404): The game's API has no such path.
 * - `no_refresh_token` (404): No valid refresh token of the character has the scope that is needed.
 * - `state_code_unknown` (404): The state code is not one of this token, or does not live any more.
 * - `voice_not_configured` (404): This instance has no voice server.
 * - `voice_challenge_missing` (404): The user has no voice challenge, or not any more.
 * - `voice_client_missing` (404): Nobody on the voice server bears the nickname of the challenge.
 * - `method_not_allowed` (405): The path does not know the method; `Allow` names those that it knows.
 * - `request_timeout` (408): The request did not arrive in time.
 * - `name_taken` (409): Another record has this name.
 * - `autogroup_kept` (409): The service itself keeps what the request would change about an autogroup.
 * - `too_many_guest_codes` (409): The corporation has as many living guest codes as it may have.
 * - `resync` (410): The events after this cursor are not kept for the feed any more, or are not those of this database: read the lists anew.
 * - `too_many_webhooks` (409): Whoever asks has as many webhooks as one may have.
 * - `precondition_failed` (412): A condition in the headers of the request does not hold.
 * - `body_too_large` (413): The body has more bytes than the operation takes.
 * - `encoding_unsupported` (415): The body is encoded in a way that is not taken.
 * - `range_not_satisfiable` (416): The file does not have the range that was asked for.
 * - `host_unknown` (421): The service does not answer to the host that the request names.
 * - `invalid_request` (422): Path, query, headers or body are not what the operation takes: `detail` lists it.
 * - `rate_limited` (429): The token, or the address without one, used up its requests of this minute.
 * - `caller_errors_used_up` (429): The caller's requests caused too many errors at the provider.
 * - `too_many_waiting` (429): The caller has as many requests that wait for events as one may have.
 * - `too_many_joined_answers` (429): The caller has as many joined answers at work as one may have.
 * - `headers_too_large` (431): The headers of the request are too large.
 * - `internal_error` (500): An error that nobody foresaw.
 * - `provider_unavailable` (502): The provider cannot be reached, or its answer cannot be used.
 * - `provider_pages_changed` (502): The pages of a list changed while they were read; asking again may help.
 * - `voice_server_unavailable` (502): The voice server cannot be reached, or its answer cannot be used.
 * - `database_unavailable` (503): The database cannot be reached.
 * - `database_not_migrated` (503): The database lacks migrations.
 * - `provider_limits_used_up` (503): The limits of the provider are used up for the moment.
 * - `forwarding_busy` (503): Too many requests are being forwarded at the moment.
 * - `service_starting` (503): The service is starting.
 * - `service_stopping` (503): The service is stopping.
 * - `provider_timeout` (504): The provider did not answer in time.
 * - `provider_refused` (its own): The provider refused a forwarded request; `status_code` is what it answered.
 */
export const ErrorCode = z.enum([
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
  'service_starting',
  'service_stopping',
  'provider_timeout',
  'provider_refused',
]);

/**
 * What happened. The list grows: pass over types that you do not know.
 *
 * - `user.registered`: A character became a user, by its own sign-in or because the game has it in a corporation.
 * - `user.signed_in`: A sign-in ended with a user token.
 * - `user.sign_in_refused`: A sign-in ended with a refusal; `reason` says which.
 * - `user.moved`: A user is in another corporation now, or in none.
 * - `user.standing_changed`: What a user is or may do changed: those of level, membership and login that differ.
 * - `user.renamed`: The game has another name for the character.
 * - `user.handed_over`: The character belongs to another person now, who starts from nothing.
 * - `user.deleted`: A user is gone with everything that hung on it.
 * - `grant.given`: A character let the service ask the game on its behalf.
 * - `grant.scopes_changed`: A sign-in replaced what a character grants with other scopes.
 * - `grant.invalidated`: A refresh token does not work any more.
 * - `group.created`: There is a new group.
 * - `group.updated`: Something else than the members of a group changed.
 * - `group.deleted`: A group is gone, and with it its memberships.
 * - `group.members_changed`: Users came into a group or left it, autogroups included.
 * - `coalition.created`: There is a new coalition.
 * - `coalition.updated`: Something else than the members of a coalition changed.
 * - `coalition.deleted`: A coalition is gone, and with it its memberships and its autogroup.
 * - `coalition.members_changed`: Alliances or corporations came into a coalition or left it.
 * - `corporation.registered`: The service knows another corporation.
 * - `corporation.updated`: Name, ticker, alliance or required scopes of a corporation changed.
 * - `corporation.members_changed`: Users came into a corporation or left it.
 * - `corporation.ceo_changed`: A corporation has another CEO.
 * - `corporation.guest_invited`: There is a new guest code of a corporation.
 * - `alliance.registered`: The service knows another alliance.
 * - `alliance.updated`: Name, ticker or required scopes of an alliance changed.
 * - `alliance.members_changed`: Corporations came into an alliance or left it.
 * - `alliance.ceo_changed`: Another corporation executes an alliance, or that one has another CEO.
 * - `token.created`: There is a new token.
 * - `token.deleted`: A token is gone: deleted, expired, or with what it hung on.
 * - `application.created`: Somebody asked to join a group.
 * - `application.decided`: It was decided about, withdrawn, or had its time.
 * - `person.character_linked`: A character belongs to a person.
 * - `person.character_unlinked`: A character does not belong to a person any more.
 * - `voice.bound`: A user proved which identity on the voice server is its own.
 * - `voice.unbound`: An identity on the voice server is no longer the user’s.
 * - `webhook.created`: There is a new webhook; of its URL only the origin is told.
 * - `webhook.updated`: A webhook was changed, disabled, given a new secret, or set back.
 * - `webhook.deleted`: Somebody deleted a webhook; one that goes with its application or owner is not told of.
 * - `job.requested`: Somebody had a job run.
 * - `registry.change_held`: A run would have taken something from too many, and changed nothing.
 * - `crash.deleted`: A crash report was deleted.
 * - `ext.asked_on_behalf`: Somebody asked the game for data of another user.
 * - `history.read`: Somebody read what is kept of another user.
 * - `audit.checkpoint`: So far the events are whole: the position and the hash of the last one, signed.
 */
export const EventType = z.enum([
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
  'voice.bound',
  'voice.unbound',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'job.requested',
  'registry.change_held',
  'crash.deleted',
  'ext.asked_on_behalf',
  'history.read',
  'audit.checkpoint',
]);

/** What an event is about. */
export const Target = z.object({
  /** What kind of record it is. */
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
    'crash_report',
    'webhook',
  ]),
  /** Its id as text, whatever the record has. */
  id: z.string(),
  /** What it was called at that time. */
  name: z.string().nullable(),
});

/** From where the request came that changed something. */
export const EventContext = z.object({
  /** What `X-Request-Id` said. */
  request_id: z.string(),
  /** The address of the client. */
  address: z.string(),
  /** What the client called itself, cut at 200 characters. */
  user_agent: z.string().nullable(),
});

/** Something that happened. What the reader may not see of other people is left out of it. */
export const Event = z.object({
  /** A UUID of version 7: it begins with the time. */
  event_id: z.string(),
  /** Its place among all events, without a gap; null for the moment until it has one, in the audit alone. */
  position: z.number().int().nullable(),
  /** When it happened. */
  occurred_on: z.string().datetime(),
  /** What happened. */
  type: EventType,
  /** Of the form of events. */
  version: z.literal(1),
  /** Who did it. */
  actor: Actor,
  /** What it is about. */
  targets: z.array(Target),
  /** `held`: a run that would have taken too much away (D63). */
  outcome: z.enum(['done', 'refused', 'held']),
  /** What is another way than before. */
  changes: z.array(Change),
  /** In the words of whoever gave one. */
  reason: z.string().nullable(),
  /** Why it happened, where nobody asked for it by itself. */
  cause: Cause.nullable(),
  /** Shown to level 9 and to whose request it was, for 90 days; null where there was no request. */
  context: EventContext.nullable(),
});

/** A stretch of what happened. */
export const EventPage = z.object({
  /** In the order of their positions; perhaps none though there are more. */
  events: z.array(Event),
  /** Value of `after` for the next page; the same again where nothing is new. */
  cursor: z.string(),
  /** Whether to ask for the next page at once. */
  more: z.boolean(),
});

/** The answer of the game to a forwarded request. */
export const ExternalForwardAnswer = z.object({
  /** What the game answered; with all_pages the pages joined in order. */
  data: z.unknown(),
  /** The harmless headers of the answer: caching, pages, limits. */
  headers: z.record(z.string(), z.string()),
  /** Names by id, empty where they were not asked for. */
  id_annotations: z.record(z.string(), z.string()),
  /** What the game answered with, below 400. */
  status_code: z.number().int(),
});

/** The game refused a forwarded request. */
export const ExternalForwardRefusal = z.object({
  /** The game's own words, where it has some. */
  detail: z.string(),
  /** What went wrong, for programs. */
  code: z.enum(['provider_refused']),
  /** What the game answered. */
  data: z.unknown(),
  /** The harmless headers of the answer: caching, limits. */
  headers: z.record(z.string(), z.string()),
  /** What the game answered with: it tells its refusals from ours. */
  status_code: z.number().int(),
});

/** How to forward a request; every field may be left out. */
export const ExternalForwardRequest = z.object({
  /** Fetch every page and join them. `false` where absent. */
  all_pages: z.boolean().nullable().optional(),
  /** Look up the names behind the ids in the answer. `false` where absent. */
  id_annotations: z.boolean().nullable().optional(),
  /** Id of the character whose access is used; the caller's own where absent. */
  on_behalf_of: z.number().int().min(1).max(9007199254740991).nullable().optional(),
  /** Query parameters of the forwarded request: text, numbers, booleans, or lists of them. `{}` where absent. */
  params: z.record(z.string(), z.union([z.string().max(4000), z.number(), z.boolean(), z.array(z.union([z.string().max(4000), z.number(), z.boolean()])).max(10000)]).nullable()).nullable().optional(),
});

/** A set of users with an owner. */
export const Group = z.object({
  /** true lets members in, false keeps them out whatever other groups say, null says nothing. */
  authorized_to_login: z.boolean().nullable(),
  /** When it was made here. */
  created_on: z.string().datetime(),
  /** Free text. */
  description: z.string(),
  /** Id of the group: 24 hexadecimal digits. */
  group_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  /** Name of the group. */
  group_name: z.string(),
  /** Kept by the service itself: it follows the members of a corporation, an alliance or a coalition, or those who proved their voice identity. */
  is_autogroup: z.boolean(),
  /** Who belongs to it. */
  members: z.array(UserShort),
  /** Null where the owner was deleted or there never was one. */
  owner: UserShort.nullable(),
  /** When it was last changed here. */
  updated_on: z.string().datetime(),
});

/** A group by id and name. */
export const GroupShort = z.object({
  /** Id of the group: 24 hexadecimal digits. */
  group_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  /** Name of the group. */
  group_name: z.string(),
});

/** An invitation: used once, valid for 24 hours, with any dynamic app token. */
export const GuestCode = z.object({
  /** To be sent as `state_code` to `POST /token/use/from/dyn`. */
  state_code: z.string(),
});

/** A scheduled background job. */
export const Job = z.object({
  /** Missed runs are made up for by one: always true. */
  coalesce: z.boolean(),
  /** The queue that runs it. */
  executor: z.string(),
  /** The handler. */
  function: z.string(),
  /** The schedule's name. */
  job_id: z.string(),
  /** How many runs at once. */
  max_instances: z.number().int().nullable(),
  /** Seconds for which a missed run is still made up for; null: however late. */
  misfire_grace_time: z.number().int().nullable(),
  /** What it is called among people. */
  name: z.string(),
  /** When it runs next; null where it runs only when asked to. */
  next_run_time: z.string().datetime().nullable(),
  /** The cron expression, in the time zone of the instance: UTC unless it says otherwise. */
  trigger: z.string().nullable(),
});

/** A run that was only tried. */
export const JobDryRun = z.object({
  /** The schedule's name. */
  job_id: z.string(),
  /** What a run would change now, one entry for each change. */
  changes: z.array(z.record(z.string(), z.unknown())),
});

/** A run that was asked for. */
export const JobRun = z.object({
  /** The schedule's name. */
  job_id: z.string(),
  /** Names this run in the logs. */
  run_id: z.string(),
});

/** A sign-in that was started. */
export const Login = z.object({
  /** Where to send the player: the sign-on page of the provider. */
  login_url: z.string(),
  /** Comes back with the user token. Used once, by the sign-in that succeeds; valid for 10 minutes, and for 10 more from when a player is told to grant more scopes. */
  state_code: z.string(),
});

/** A new webhook with its secret. */
export const NewWebhook = z.object({
  /** Names the webhook: 24 hexadecimal digits. */
  webhook_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  /** Where the events are posted to. */
  url: z.string(),
  /** Types of events, `group.*` and `*` among them. */
  types: z.array(z.string()),
  /** Of events about groups, only those about these; null: all. */
  group_ids: z.array(z.string().regex(new RegExp('^[0-9a-f]{24}$'))).nullable(),
  /** One after another in the order of their positions, each once the one before it has arrived. */
  ordered: z.boolean(),
  /** Whether anything is delivered. */
  enabled: z.boolean(),
  /** `asked`: by a request. `gone`: the receiver answered 410. `undeliverable`: a delivery failed at its last try. `not_allowed`: its application or owner may not have it any more. */
  disabled_because: z.enum([
    'asked',
    'gone',
    'undeliverable',
    'not_allowed',
  ]),
  /** Since when nothing is delivered. */
  disabled_on: z.string().datetime().nullable(),
  /** Events up to this one were taken up, whether or not they have been delivered yet. */
  position: z.number().int(),
  /** Deliveries that are waiting for their next try, or are under way. */
  waiting: z.number().int(),
  /** Tries that failed since one succeeded. */
  failures: z.number().int(),
  /** The application that it belongs to. */
  app_token: z.string().nullable(),
  /** The user whom it belongs to, where it was made with a user token. */
  owner_id: z.number().int().nullable(),
  /** When it was made here. */
  created_on: z.string().datetime(),
  /** When it was last changed here. */
  updated_on: z.string().datetime(),
  /** Signs the deliveries, as Standard Webhooks 1.0 has it: `whsec_` and 32 bytes in base64. Shown this once. */
  secret: z.string(),
});

/** A new application token. */
export const PostAppToken = z.object({
  /** http or https URL of at most 2000 characters, without user, password or fragment. Where a sign-in ends: it adds `state_code` and `user_token` to the query. */
  callback: z.string(),
  /** For people: which application this is. */
  comments: z.string().max(4000).nullable().optional(),
});

/** A new coalition. */
export const PostCoalition = z.object({
  /** Name of the coalition. */
  coalition_name: z.string().min(1).max(100),
  /** The short form of the name. */
  ticker: z.string().min(1).max(20),
});

/** A new group. */
export const PostGroup = z.object({
  /** Name of the group. */
  group_name: z.string().min(1).max(100),
  /** Empty where absent. */
  description: z.string().max(4000).nullable().optional(),
});

/** A sign-in to start. */
export const PostLogin = z.object({
  /** Scopes to ask the player for; `["publicData"]` where absent. */
  scopes: z.array(ExtScope).max(10000).nullable().optional(),
  /** A live code of the calling token, or the code of an invitation; made by the service where absent. */
  state_code: z.string().min(1).max(100).nullable().optional(),
});

/** From where on to deliver again. */
export const PostReplay = z.object({
  /** A position: the events after it are delivered again, under the ids that they had. */
  after: z.number().int().min(0).max(9007199254740991),
});

/** A new webhook. */
export const PostWebhook = z.object({
  /** http or https URL of at most 2000 characters, without user, password or fragment. Where the events are posted to. */
  url: z.string(),
  /** Types of events; `group.*` stands for all about groups, `*` for all there are, now and later. */
  types: z.array(z.string()).max(100),
  /** Of events about groups, only those about these; null: about all. */
  group_ids: z.array(z.string().regex(new RegExp('^[0-9a-fA-F]{24}$'))).max(100).nullable().optional(),
  /** One after another in the order of their positions, each once the one before it has arrived. Otherwise many at the same time; false where absent. */
  ordered: z.boolean().nullable().optional(),
});

/** Body of an error. */
export const Problem = z.object({
  /** What went wrong, in one sentence. */
  detail: z.string(),
  code: ErrorCode,
});

/** What to change about the local record of an alliance. */
export const PutAlliance = z.object({
  /** Replaces the required scopes; null or absent leaves them as they are. */
  mandatory_ext_scopes: z.array(ExtScope).max(10000).nullable().optional(),
});

/** What to change about a coalition; null means the same as leaving a field out, an empty list is a list. */
export const PutCoalition = z.object({
  /** Ids of registered alliances to add. */
  add_member_alliances: z.array(z.number().int().min(1).max(9007199254740991)).max(10000).nullable().optional(),
  /** Ids of registered corporations to add. */
  add_member_corporations: z.array(z.number().int().min(1).max(9007199254740991)).max(10000).nullable().optional(),
  /** Once set, it never returns to null. */
  authorized_to_login: z.boolean().nullable().optional(),
  /** Replaces the required scopes; null or absent leaves them as they are. */
  mandatory_ext_scopes: z.array(ExtScope).max(10000).nullable().optional(),
  /** Replaces all member alliances; stands alone. */
  member_alliances: z.array(z.number().int().min(1).max(9007199254740991)).max(10000).nullable().optional(),
  /** Replaces all member corporations; stands alone. */
  member_corporations: z.array(z.number().int().min(1).max(9007199254740991)).max(10000).nullable().optional(),
  /** Ids of alliances to remove. */
  remove_member_alliances: z.array(z.number().int().min(1).max(9007199254740991)).max(10000).nullable().optional(),
  /** Ids of corporations to remove. */
  remove_member_corporations: z.array(z.number().int().min(1).max(9007199254740991)).max(10000).nullable().optional(),
  /** The short form of the name. */
  ticker: z.string().min(1).max(20).nullable().optional(),
});

/** What to change about the local record of a corporation. */
export const PutCorporation = z.object({
  /** Replaces the required scopes; null or absent leaves them as they are. */
  mandatory_ext_scopes: z.array(ExtScope).max(10000).nullable().optional(),
});

/** What to change about a group; null means the same as leaving a field out, an empty list is a list. */
export const PutGroup = z.object({
  /** Names of existing users to add. */
  add_members: z.array(z.string().min(1).max(100)).max(10000).nullable().optional(),
  /** Once set, it never returns to null. */
  authorized_to_login: z.boolean().nullable().optional(),
  /** Free text. */
  description: z.string().max(4000).nullable().optional(),
  /** Names of existing users; replaces all members and stands alone. */
  members: z.array(z.string().min(1).max(100)).max(10000).nullable().optional(),
  /** Name of an existing user, who becomes a member too. */
  owner: z.string().min(1).max(100).nullable().optional(),
  /** Names of users to remove; the owner stays a member in any case. */
  remove_members: z.array(z.string().min(1).max(100)).max(10000).nullable().optional(),
});

/** What to change about a user. */
export const PutUser = z.object({
  /** The new level; null or absent leaves it as it is. */
  clearance_level: z.number().int().min(0).max(10).nullable().optional(),
});

/** What is to be another way about a webhook. */
export const PutWebhook = z.object({
  /** Where the events are posted to from now on. */
  url: z.string().nullable().optional(),
  /** The whole list of types. */
  types: z.array(z.string()).max(100).nullable().optional(),
  /** The whole list of groups; an empty list: all of them again. */
  group_ids: z.array(z.string().regex(new RegExp('^[0-9a-fA-F]{24}$'))).max(100).nullable().optional(),
  /** One after another in the order of their positions, each once the one before it has arrived. */
  ordered: z.boolean().nullable().optional(),
  /** False: nothing is delivered, and nothing forgotten. True: it goes on where it stopped, and what had failed is tried again. */
  enabled: z.boolean().nullable().optional(),
});

/** A game character that signed in here, was registered as a CEO, or is the built-in user. */
export const User = z.object({
  /** Id of the alliance of the corporation, if any. */
  alliance: z.number().int().nullable(),
  /** Scopes of the valid refresh tokens that this service holds for the user, sorted. */
  available_ext_scopes: z.array(ExtScope),
  /** Id of the character; 0 is the built-in user. */
  character_id: z.number().int(),
  /** Name of the character. */
  character_name: z.string(),
  /** -1 guest · 0 own data · 1/2 read/write in the corporation · 3/4 alliance · 5/6 coalition · 7/8 everybody · 9 administration · 10 superuser. */
  clearance_level: z.number().int().min(-1).max(10),
  /** Ids of the coalitions, through the alliance or the corporation. */
  coalitions: z.array(z.string()),
  /** Id of the corporation in decimal digits; null for members of the game's own corporations. */
  corporation: z.string().nullable(),
  /** When it was made here. */
  created_on: z.string().datetime(),
  /** What corporation, alliance and coalitions together require, sorted. */
  cumulated_mandatory_ext_scopes: z.array(ExtScope),
  /** CEO of the alliance's executor corporation. */
  is_ceo_of_alliance: z.boolean(),
  /** Leads the corporation that the character is in. */
  is_ceo_of_corporation: z.boolean(),
  /** `[TICKER] name` with the alliance's ticker, else the corporation's, else the bare name. */
  tickered_name: z.string(),
  /** When it was last changed here. */
  updated_on: z.string().datetime(),
});

/** A token as it is stored. Its text, the JWT, is shown once, when it is made. */
export const Token = z.object({
  /** Where a sign-in that this app token started ends. */
  callback: z.string().nullable(),
  /** What whoever made it wrote about it. */
  comments: z.string().nullable(),
  /** When it was made here. */
  created_on: z.string().datetime(),
  /** Null for app tokens: they do not expire. */
  expires_on: z.string().datetime().nullable(),
  /** The user whose clearance counts. For a token made from a permanent app token, clearance_level is what the token can do: never above the present level of that app token's owner. */
  owner: User,
  /** Uuid of the token that this one was made with; deleting that deletes this. */
  parent: z.string().nullable(),
  /** dyn: dynamic application token. per: permanent application token. use: user token. */
  token_type: z.enum(['dyn', 'per', 'use']),
  /** Names the token; the token itself is not to be had from it. */
  uuid: z.string(),
});

/** Every member in exactly one list, by the state of its refresh tokens. Guests and the built-in user are not members. */
export const Tracking = z.object({
  /** At least one valid refresh token covers every scope that is required of the user. */
  valid_refresh_token: z.array(UserShort),
  /** There are refresh tokens, but each is invalid or lacks a required scope. */
  invalid_refresh_token: z.array(UserShort),
  /** No refresh token at all. */
  no_refresh_token: z.array(UserShort),
});

/** A group that a user is a member of. */
export const UserGroup = z.object({
  /** Id of the group: 24 hexadecimal digits. */
  group_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  /** Name of the group. */
  group_name: z.string(),
  /** Kept by the service itself: it follows a corporation, an alliance, a coalition, or the voice server. */
  is_autogroup: z.boolean(),
  /** Whether the user owns the group. */
  is_owner: z.boolean(),
});

/** A new user token in its signed form. */
export const UserToken = z.object({
  /** The token to send as `Authorization: Bearer …`. Shown this once. */
  user_token: z.string(),
});

/** One thing wrong with a request. */
export const ValidationIssue = z.object({
  /** Where: `path`, `query`, `header` or `body`, then the way to the value. */
  loc: z.array(z.union([z.string(), z.number().int()])),
  /** What is wrong with the value. */
  msg: z.string(),
  /** Kind of the issue, for programs. */
  type: z.string(),
});

/** Path, query, headers or body are not what the operation takes. */
export const ValidationProblem = z.object({
  /** Everything that is wrong with the request. */
  detail: z.array(ValidationIssue),
  /** What went wrong, for programs. */
  code: z.enum(['invalid_request']),
});

/** A nickname that proves who takes it. */
export const VoiceChallenge = z.object({
  /** When the challenge ends. */
  expiration_datetime: z.string().datetime(),
  /** The nickname to take on the voice server: 20 letters and digits. */
  challenge_nickname: z.string(),
  user: UserShort,
});

/** Where events are sent. Its secret is shown once, when it is made. */
export const Webhook = z.object({
  /** Names the webhook: 24 hexadecimal digits. */
  webhook_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  /** Where the events are posted to. */
  url: z.string(),
  /** Types of events, `group.*` and `*` among them. */
  types: z.array(z.string()),
  /** Of events about groups, only those about these; null: all. */
  group_ids: z.array(z.string().regex(new RegExp('^[0-9a-f]{24}$'))).nullable(),
  /** One after another in the order of their positions, each once the one before it has arrived. */
  ordered: z.boolean(),
  /** Whether anything is delivered. */
  enabled: z.boolean(),
  /** `asked`: by a request. `gone`: the receiver answered 410. `undeliverable`: a delivery failed at its last try. `not_allowed`: its application or owner may not have it any more. */
  disabled_because: z.enum([
    'asked',
    'gone',
    'undeliverable',
    'not_allowed',
  ]),
  /** Since when nothing is delivered. */
  disabled_on: z.string().datetime().nullable(),
  /** Events up to this one were taken up, whether or not they have been delivered yet. */
  position: z.number().int(),
  /** Deliveries that are waiting for their next try, or are under way. */
  waiting: z.number().int(),
  /** Tries that failed since one succeeded. */
  failures: z.number().int(),
  /** The application that it belongs to. */
  app_token: z.string().nullable(),
  /** The user whom it belongs to, where it was made with a user token. */
  owner_id: z.number().int().nullable(),
  /** When it was made here. */
  created_on: z.string().datetime(),
  /** When it was last changed here. */
  updated_on: z.string().datetime(),
});

/** One event on its way to one webhook. Kept for 30 days after it has ended. */
export const WebhookDelivery = z.object({
  /** Of the event; the header `webhook-id` of every try. */
  delivery_id: z.string(),
  /** Type of the event, or `webhook.test`. */
  type: z.string(),
  /** Of the event; null for a test. */
  position: z.number().int().nullable(),
  /** `waiting`: for its next try, or under way. `failed`: it is not tried any more. */
  state: z.enum(['waiting', 'delivered', 'failed']),
  /** How often it was tried. */
  tries: z.number().int(),
  /** When it is tried next; null where it is not any more. */
  next_try_on: z.string().datetime().nullable(),
  /** When it was tried last. */
  tried_on: z.string().datetime().nullable(),
  /** What the receiver answered to the last try. */
  status: z.number().int().nullable(),
  /** Why the last try came to no answer. */
  fault: z.string().nullable(),
  /** When it was made here. */
  created_on: z.string().datetime(),
});

/** Body of a delivery. */
export const WebhookMessage = z.object({
  /** Type of the event, or `webhook.test`. */
  type: z.string(),
  /** When it happened. */
  timestamp: z.string().datetime(),
  /** The event; of a test, which webhook it came by. */
  data: z.union([Event, z.object({
    /** Id of the webhook. */
    webhook_id: z.string().regex(new RegExp('^[0-9a-f]{24}$')),
  })]),
});

/** The new secret of a webhook. */
export const WebhookSecret = z.object({
  /** Signs the deliveries, as Standard Webhooks 1.0 has it: `whsec_` and 32 bytes in base64. Shown this once. */
  secret: z.string(),
  /** Until then deliveries carry a signature by the former secret, too. */
  former_until: z.string().datetime(),
});
