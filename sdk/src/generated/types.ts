// Written by `npm run generate` from the contract; changes here are lost.
import type { Answer, CallOptions } from '../call.ts';

/** Who did something. */
export interface Actor {
  /** A user by a user token or a sign-in, an application by its own token, a job, the game, or a command beside the service. */
  kind: 'user' | 'app' | 'job' | 'provider' | 'cli';
  /** The user who is responsible for it; null where there is none. */
  character_id: number | null;
  /** The uuid of the token that was used. */
  token: string | null;
  /** The application token that this one descends from. */
  app_token: string | null;
  /** The character on whose behalf the game's API was requested. */
  on_behalf_of: number | null;
}

/** A registered alliance. One that closed keeps its last known executor and CEO. */
export interface Alliance {
  /** Id of the alliance in the game. */
  alliance_id: number;
  /** Name of the alliance. */
  alliance_name: string;
  /** CEO of the executor corporation. */
  ceo: UserShort;
  /** What the alliance and its coalitions together require of a member, sorted. */
  cumulated_mandatory_ext_scopes: ExtScope[];
  /** The corporation that leads the alliance. */
  executor_corporation: CorporationShort;
  /** What the alliance itself requires of its members, sorted. */
  mandatory_ext_scopes: ExtScope[];
  /** The short form of the name. */
  ticker: string;
  /** When it was last changed here. */
  updated_on: string;
}

/** An alliance by id and name. */
export interface AllianceShort {
  /** Id of the alliance in the game. */
  alliance_id: number;
  /** Name of the alliance. */
  alliance_name: string;
}

/** A new application token in its signed form. */
export interface AppToken {
  /** The token to send as `Authorization: Bearer …`. Shown this once. */
  tkn: string;
}

/** A wish to join a group, and what became of it. */
export interface Application {
  /** Id of the application: 24 hexadecimal digits. */
  application_id: string;
  /** The group that the applicant would join; it may be deleted by now. */
  group: GroupShort;
  /** Who would join. */
  applicant: UserShort;
  /** pending until it is decided; void where it lost its sense: the applicant may not join any more or is a member, or the group is deleted. */
  state: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired' | 'void';
  /** What the applicant says. */
  message: string;
  /** What the group asked when the application was made. */
  questions: string[];
  /** The answers to these questions, in their order. */
  answers: string[];
  /** When it ends undecided. */
  expires_on: string;
  /** When it was decided, or expired; null while it is pending. */
  decided_on: string | null;
  /** The moderator who decided; null where the applicant or time did. */
  decided_by: UserShort | null;
  /** A message of the moderator to the applicant. */
  reason: string | null;
  /** What moderators tell each other; null for anybody else. */
  note: string | null;
  /** When it was made here. */
  created_on: string;
}

/** What caused an event that was a consequence of something else. */
export interface Cause {
  /** The event that caused this one. */
  event_id: string | null;
  /** The run of a job. */
  run_id: string | null;
  /** The job of this run. */
  job: string | null;
}

/** What an event changed. */
export type Change = ListChange | ValueChange;

/** Where a character was. Docked in at most one of station and structure; in space in neither. */
export interface CharacterLocation {
  /** Whether the character was in the game. */
  online: boolean;
  /** The name that the player gave the ship. */
  ship_name: string;
  /** Id of the type of the ship. */
  ship_type_id: number;
  /** Name of the type of the ship. */
  ship_type_name: string;
  /** Id of the solar system. */
  solar_system_id: number;
  /** Name of the solar system. */
  solar_system_name: string;
  /** Id of the station; null where not docked in one. */
  station_id: number | null;
  /** Name of the station; null where not docked in one. */
  station_name: string | null;
  /** Id of the structure; null where not docked in one. */
  structure_id: number | null;
  /** Name of the structure, `#` and its id if that is not available; null where not docked in one. */
  structure_name: string | null;
  /** The time of this entry. */
  timestamp: string;
  user: UserShort;
}

/** A mail with its text. */
export interface CharacterMail {
  /** Plain text with its line breaks. */
  body: string;
  /** Id of who sent it. */
  from_id: number;
  /** Name of who sent it. */
  from_name: string;
  /** Id of the mail in the game. */
  mail_id: number;
  /** Who the mail went to. */
  recipients: MailRecipient[];
  /** Subject of the mail. */
  subject: string;
  /** The time of this entry. */
  timestamp: string;
}

/** The header of a mail. */
export interface CharacterMailShort {
  from_character: UserShort;
  /** Id of the mail in the game. */
  mail_id: number;
  /** Who the mail went to. */
  recipients: MailRecipient[];
  /** Subject of the mail. */
  subject: string;
  /** The time of this entry. */
  timestamp: string;
}

/** Skill points at one moment. */
export interface CharacterSkillPoints {
  /** The time of this entry. */
  timestamp: string;
  /** Skill points in all. */
  total_sp: number;
  /** Skill points that are not assigned to a skill yet. */
  unallocated_sp: number;
}

/** The balance of a wallet at one moment. */
export interface CharacterWalletBalance {
  /** In the currency of the game. */
  balance: number;
  /** The time of this entry. */
  timestamp: string;
}

/** Alliances and corporations that act together. Members of a new coalition may log in. */
export interface Coalition {
  /** true: members may log in. false: members may not log in, whatever other groups say. null: no effect. */
  authorized_to_login: boolean | null;
  /** Id of the coalition: 24 hexadecimal digits. */
  coalition_id: string;
  /** Name of the coalition. */
  coalition_name: string;
  /** When it was made here. */
  created_on: string;
  /** What the coalition requires of its members, sorted. */
  mandatory_ext_scopes: ExtScope[];
  /** The alliances that are members. */
  member_alliances: AllianceShort[];
  /** Corporations that are members directly, not through an alliance. */
  member_corporations: CorporationShort[];
  /** The short form of the name. */
  ticker: string;
  /** When it was last changed here. */
  updated_on: string;
}

/** A coalition by id and name. */
export interface CoalitionShort {
  /** Id of the coalition: 24 hexadecimal digits. */
  coalition_id: string;
  /** Name of the coalition. */
  coalition_name: string;
}

/** How the members of a corporation, alliance or coalition comply. */
export interface Compliance {
  /** When it was so. */
  as_of: string;
  /** Everybody with a character there, ordered by the first of them. */
  persons: CompliancePerson[];
  /** Members that the game knows and that were never here, ordered by name. */
  never_signed_in: UserShort[];
  /** Corporations whose list of members cannot be read, as no member granted `ext-corporations.read_corporation_membership.v1`: more members may never have signed in. */
  unlisted: CorporationShort[];
}

/** A character of the corporation, alliance or coalition, and how it complies. */
export interface ComplianceCharacter {
  user: UserShort;
  status: ComplianceStatus;
  /** What is wrong; null when nothing is. */
  reason: ComplianceReason | null;
  /** Required scopes that the best valid refresh token does not have, sorted. */
  missing_scopes: ExtScope[];
  /** Since when it has not complied, as far as the hourly job has noticed: the beginning of its grace. Null where it complies, or that is unknown. */
  since: string | null;
  /** Whole days since then. */
  days: number | null;
  /** When grace ends, or ended. */
  grace_until: string | null;
}

/** How many persons complied on a day. */
export interface ComplianceDay {
  /** The day in UTC; the counts are those at its end. */
  day: string;
  /** Persons with a character there. */
  persons: number;
  /** Persons whose characters there all comply. */
  ok: number;
  /** Persons whose worst character there is in grace. */
  grace: number;
  /** Persons with a failing character there. */
  failing: number;
  /** Persons whose worst character there is unknown. */
  unknown: number;
  /** Members that never signed in. */
  never_signed_in: number;
}

/** A person with a character there. */
export interface CompliancePerson {
  /** Id of the person; where some of its characters are hidden from the caller, that of the visible one with the smallest id alone. */
  person_id: string;
  /** The main character of the person; null if the caller may not see it. */
  main: UserShort | null;
  /** The worst of its characters here: failing, then unknown, grace, ok. */
  status: ComplianceStatus;
  /** Its characters here, ordered by name ignoring case, then by id. */
  characters: ComplianceCharacter[];
}

/** no_grant: there is no refresh token. grant_invalid: none is valid. scopes_missing: no valid one covers what is required. refresh_cut_off: it is unknown whether the last one is still valid, because its refresh was interrupted. */
export type ComplianceReason =
  | 'no_grant'
  | 'grant_invalid'
  | 'scopes_missing'
  | 'refresh_cut_off';

/** ok: a valid refresh token covers what is required. grace: none does, for less than three days. failing: for longer. unknown: a refresh was cut off, and its token may or may not live. */
export type ComplianceStatus =
  | 'ok'
  | 'grace'
  | 'failing'
  | 'unknown';

/** The active configuration: the settings in lower case, those that belong together in an object. Every secret is `**********`, passwords inside URLs too. */
export type Configuration = Record<string, unknown>;

/** A registered corporation. One that closed keeps its last known CEO. */
export interface Corporation {
  /** The alliance that it belongs to, if any. */
  alliance: AllianceShort | null;
  ceo: UserShort;
  /** Id of the corporation in the game. */
  corporation_id: number;
  /** Name of the corporation. */
  corporation_name: string;
  /** What the corporation, its alliance and their coalitions together require of a member, sorted. */
  cumulated_mandatory_ext_scopes: ExtScope[];
  /** What the corporation itself requires of its members, sorted. */
  mandatory_ext_scopes: ExtScope[];
  /** The short form of the name. */
  ticker: string;
  /** When it was last changed here. */
  updated_on: string;
}

/** A corporation by id and name. */
export interface CorporationShort {
  /** Id of the corporation in the game. */
  corporation_id: number;
  /** Name of the corporation. */
  corporation_name: string;
}

/** An unforeseen error. A crash report is stored. */
export interface CrashProblem {
  /** Always the same sentence: what happened is in the crash report. */
  detail: string;
  /** What went wrong, for programs. */
  code: 'internal_error';
  /** The stored report, for administrators: `GET /crash/{crash_report_id}`. Absent when none could be stored. */
  crash_report_id?: string | undefined;
}

/** What is known of an unforeseen error. Kept for 90 days; credentials are removed before it is stored. */
export interface CrashReport {
  /** Id of the record: 24 hexadecimal digits. */
  id: string;
  /** Schema version of the record. */
  _version: 1;
  /** What was asked for. */
  request: {
    /** Headers of the request, credentials redacted. */
    headers: Record<string, string>;
    /** Method of the request. */
    method: string;
    /** Parameters of the path and the query, secrets redacted. */
    params: Record<string, unknown>;
    /** Secrets in the query are redacted. */
    url: string;
  };
  /** The time of this entry. */
  timestamp: string;
  /** The token of the failing request as it was then, without its text. */
  token: {
    /** Id of the token; the token itself cannot be derived from it. */
    uuid: string;
    /** Kind of the token: dynamic app, permanent app or user. */
    token_type: 'dyn' | 'per' | 'use';
    owner: UserShort;
    /** When it was made here. */
    created_on: string;
    /** When it expires; null if it does not expire. */
    expires_on: string | null;
  } | null;
  /** The stack trace. */
  trace: string;
}

/** A crash report by its outline. */
export interface CrashReportShort {
  /** Id of the record: 24 hexadecimal digits. */
  id: string;
  /** The time of this entry. */
  timestamp: string;
  /** URL of the request; secrets in the query are redacted. */
  url: string;
  /** Owner of the token of the failing request, if it had one. */
  user: UserShort | null;
}

/** `asked`: by a request. `gone`: the receiver answered 410. `undeliverable`: a delivery failed at its last try. `not_allowed`: its application or owner may not have it any more. */
export type DisabledReason =
  | 'asked'
  | 'gone'
  | 'undeliverable'
  | 'not_allowed';

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
export type ErrorCode =
  | 'http_unreadable'
  | 'token_missing'
  | 'token_malformed'
  | 'token_invalid'
  | 'token_expired'
  | 'token_revoked'
  | 'token_type_refused'
  | 'login_not_allowed'
  | 'level_too_low'
  | 'no_authority'
  | 'forbidden_to_all'
  | 'not_found'
  | 'path_unknown'
  | 'ext_path_unknown'
  | 'no_refresh_token'
  | 'state_code_unknown'
  | 'voice_not_configured'
  | 'voice_challenge_missing'
  | 'voice_client_missing'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'name_taken'
  | 'autogroup_kept'
  | 'joining_closed'
  | 'not_eligible'
  | 'questions_changed'
  | 'already_member'
  | 'too_many_applications'
  | 'application_pending'
  | 'reapply_later'
  | 'application_decided'
  | 'owner_stays'
  | 'member_stays'
  | 'main_kept'
  | 'client_is_public'
  | 'too_many_guest_codes'
  | 'resync'
  | 'too_many_webhooks'
  | 'precondition_failed'
  | 'body_too_large'
  | 'encoding_unsupported'
  | 'range_not_satisfiable'
  | 'host_unknown'
  | 'invalid_request'
  | 'rate_limited'
  | 'caller_errors_used_up'
  | 'too_many_waiting'
  | 'too_many_joined_answers'
  | 'headers_too_large'
  | 'internal_error'
  | 'provider_unavailable'
  | 'provider_pages_changed'
  | 'voice_server_unavailable'
  | 'database_unavailable'
  | 'database_not_migrated'
  | 'provider_limits_used_up'
  | 'forwarding_busy'
  | 'encryption_key_missing'
  | 'service_starting'
  | 'service_stopping'
  | 'provider_timeout'
  | 'provider_refused';

/** Something that happened. What the reader may not see of other people is left out of it. */
export interface Event {
  /** A UUID of version 7: it begins with the time. */
  event_id: string;
  /** Its place among all events, without a gap; null for the moment until it has one, in the audit alone. */
  position: number | null;
  /** When it happened. */
  occurred_on: string;
  /** What happened. */
  type: EventType;
  /** Of the form of events. */
  version: 1;
  /** Who did it. */
  actor: Actor;
  /** What it is about. */
  targets: Target[];
  /** `refused`: a sign-in that was refused. `held`: a run that would have taken too much away (D63). */
  outcome: 'done' | 'refused' | 'held';
  /** The fields that changed. */
  changes: Change[];
  /** Why: what the acting user gave as the reason, or what the service found; null where neither is known. Of a decision about an application only the applicant and who decided are shown it, of a merge or split of persons only who did it, besides level 9; a permanent token of level 7 or 8, or a user token made from one, only where it did that itself. */
  reason: string | null;
  /** What caused it, if it was a consequence of something else, as far as that does not tell which other character a human plays. */
  cause: Cause | null;
  /** Shown to level 9 and to whose request it was (to a permanent token of level 7 or 8, or a user token made from one, that of its own requests), for 90 days; null where there was no request. */
  context: EventContext | null;
}

/** From where the request came that changed something. */
export interface EventContext {
  /** What `X-Request-Id` said. */
  request_id: string;
  /** The address of the client. */
  address: string;
  /** What the client called itself, cut at 200 characters. */
  user_agent: string | null;
}

/** A stretch of what happened. */
export interface EventPage {
  /** In the order of their positions; may be empty although there are more. */
  events: Event[];
  /** Value of `after` for the next page; unchanged when there is nothing new. */
  cursor: string;
  /** Whether to ask for the next page at once. */
  more: boolean;
}

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
export type EventType =
  | 'user.registered'
  | 'user.signed_in'
  | 'user.sign_in_refused'
  | 'user.moved'
  | 'user.standing_changed'
  | 'user.renamed'
  | 'user.handed_over'
  | 'user.deleted'
  | 'grant.given'
  | 'grant.scopes_changed'
  | 'grant.invalidated'
  | 'group.created'
  | 'group.updated'
  | 'group.deleted'
  | 'group.members_changed'
  | 'coalition.created'
  | 'coalition.updated'
  | 'coalition.deleted'
  | 'coalition.members_changed'
  | 'corporation.registered'
  | 'corporation.updated'
  | 'corporation.members_changed'
  | 'corporation.ceo_changed'
  | 'corporation.guest_invited'
  | 'alliance.registered'
  | 'alliance.updated'
  | 'alliance.members_changed'
  | 'alliance.ceo_changed'
  | 'token.created'
  | 'token.deleted'
  | 'application.created'
  | 'application.decided'
  | 'person.character_linked'
  | 'person.character_unlinked'
  | 'person.main_changed'
  | 'voice.bound'
  | 'voice.unbound'
  | 'oidc.client_created'
  | 'oidc.client_updated'
  | 'oidc.client_deleted'
  | 'oidc.consent_given'
  | 'webhook.created'
  | 'webhook.updated'
  | 'webhook.deleted'
  | 'job.requested'
  | 'registry.change_held'
  | 'crash.deleted'
  | 'ext.asked_on_behalf'
  | 'history.read'
  | 'audit.checkpoint';

/** A permission that a player grants at the provider, over the external data of one character. The list grows: pass over scopes that you do not know. */
export type ExtScope =
  | 'esi.activity.char:read'
  | 'esi.cosmetic.char:read'
  | 'ext-access.read_lists.v1'
  | 'ext-activities.read_character.v1'
  | 'ext-alliances.read_contacts.v1'
  | 'ext-assets.read_assets.v1'
  | 'ext-assets.read_corporation_assets.v1'
  | 'ext-calendar.read_calendar_events.v1'
  | 'ext-calendar.respond_calendar_events.v1'
  | 'ext-characters.read_agents_research.v1'
  | 'ext-characters.read_blueprints.v1'
  | 'ext-characters.read_contacts.v1'
  | 'ext-characters.read_corporation_roles.v1'
  | 'ext-characters.read_fatigue.v1'
  | 'ext-characters.read_freelance_jobs.v1'
  | 'ext-characters.read_fw_stats.v1'
  | 'ext-characters.read_loyalty.v1'
  | 'ext-characters.read_medals.v1'
  | 'ext-characters.read_notifications.v1'
  | 'ext-characters.read_standings.v1'
  | 'ext-characters.read_titles.v1'
  | 'ext-characters.write_contacts.v1'
  | 'ext-clones.read_clones.v1'
  | 'ext-clones.read_implants.v1'
  | 'ext-contracts.read_character_contracts.v1'
  | 'ext-contracts.read_corporation_contracts.v1'
  | 'ext-corporations.read_blueprints.v1'
  | 'ext-corporations.read_contacts.v1'
  | 'ext-corporations.read_container_logs.v1'
  | 'ext-corporations.read_corporation_membership.v1'
  | 'ext-corporations.read_divisions.v1'
  | 'ext-corporations.read_facilities.v1'
  | 'ext-corporations.read_freelance_jobs.v1'
  | 'ext-corporations.read_fw_stats.v1'
  | 'ext-corporations.read_medals.v1'
  | 'ext-corporations.read_projects.v1'
  | 'ext-corporations.read_standings.v1'
  | 'ext-corporations.read_starbases.v1'
  | 'ext-corporations.read_structures.v1'
  | 'ext-corporations.read_titles.v1'
  | 'ext-corporations.track_members.v1'
  | 'ext-fittings.read_fittings.v1'
  | 'ext-fittings.write_fittings.v1'
  | 'ext-fleets.read_fleet.v1'
  | 'ext-fleets.write_fleet.v1'
  | 'ext-industry.read_character_jobs.v1'
  | 'ext-industry.read_character_mining.v1'
  | 'ext-industry.read_corporation_jobs.v1'
  | 'ext-industry.read_corporation_mining.v1'
  | 'ext-killmails.read_corporation_killmails.v1'
  | 'ext-killmails.read_killmails.v1'
  | 'ext-location.read_location.v1'
  | 'ext-location.read_online.v1'
  | 'ext-location.read_ship_type.v1'
  | 'ext-mail.organize_mail.v1'
  | 'ext-mail.read_mail.v1'
  | 'ext-mail.send_mail.v1'
  | 'ext-markets.read_character_orders.v1'
  | 'ext-markets.read_corporation_orders.v1'
  | 'ext-markets.structure_markets.v1'
  | 'ext-planets.manage_planets.v1'
  | 'ext-planets.read_customs_offices.v1'
  | 'ext-search.search_structures.v1'
  | 'ext-skills.read_skillqueue.v1'
  | 'ext-skills.read_skills.v1'
  | 'ext-structures.read_character.v1'
  | 'ext-structures.read_corporation.v1'
  | 'ext-ui.open_window.v1'
  | 'ext-ui.write_waypoint.v1'
  | 'ext-universe.read_structures.v1'
  | 'ext-wallet.read_character_wallet.v1'
  | 'ext-wallet.read_corporation_wallets.v1'
  | 'publicData';

/** The answer of the game to a forwarded request. */
export interface ExternalForwardAnswer {
  /** What the game answered; with all_pages the pages joined in order. */
  data: unknown;
  /** The headers of the game's answer about caching, pages and limits; others are left out. */
  headers: Record<string, string>;
  /** Names by id; empty if `id_annotations` was not set. */
  id_annotations: Record<string, string>;
  /** What the game answered with, below 400. */
  status_code: number;
}

/** The game refused a forwarded request. */
export interface ExternalForwardRefusal {
  /** The game's own words, where it has some. */
  detail: string;
  /** What went wrong, for programs. */
  code: 'provider_refused';
  /** What the game answered. */
  data: unknown;
  /** The headers of the game's answer about caching and limits; others are left out. */
  headers: Record<string, string>;
  /** The status of the game's answer; refusals by this service do not have this field. */
  status_code: number;
}

/** How to forward a request; every field may be left out. */
export interface ExternalForwardRequest {
  /** Fetch and join all pages of what is paged by `page` and `X-Pages`; the rest answers as without it. `false` where absent. */
  all_pages?: boolean | null | undefined;
  /** Look up the names behind the ids in the answer. `false` where absent. */
  id_annotations?: boolean | null | undefined;
  /** Id of the character whose access is used; the caller's own where absent. */
  on_behalf_of?: number | null | undefined;
  /** Query parameters of the forwarded request: text, numbers, booleans, or lists of them. `{}` where absent. */
  params?: Record<string, string | number | boolean | (string | number | boolean)[] | null> | null | undefined;
}

/** The result of one check of the service. */
export interface Finding {
  /** What was looked at. */
  about: string;
  /** `good`: nothing to do. `mind`: should be looked at. `bad`: needs action at once. */
  state: 'good' | 'mind' | 'bad';
  /** What was found, for people. */
  says: string;
  /** What to do, if anything. */
  advice: string | null;
}

/** A set of users with an owner. */
export interface Group {
  /** true: members may log in. false: members may not log in, whatever other groups say. null: no effect. */
  authorized_to_login: boolean | null;
  /** When it was made here. */
  created_on: string;
  /** Free text. */
  description: string;
  /** Id of the group: 24 hexadecimal digits. */
  group_id: string;
  /** Name of the group. */
  group_name: string;
  /** Kept by the service itself: it follows the members of a corporation, an alliance or a coalition, or those who proved their voice identity. */
  is_autogroup: boolean;
  /** Who belongs to it. */
  members: UserShort[];
  /** Null where the owner was deleted or handed over, or there never was one. */
  owner: UserShort | null;
  /** When it was last changed here. */
  updated_on: string;
}

/** Who may join a group, who decides about it, and who must leave. */
export interface GroupPolicy {
  /** closed: the owner adds members; application: somebody decides; open: eligible users may join. */
  joining: 'closed' | 'application' | 'open';
  /** Who may see the policy, and finds the group among those to join. */
  visible_to: 'everyone' | 'eligible' | 'members';
  /** Who may be a member. The owner always may. */
  eligible: {
    /** Members of one of these alliances, corporations and coalitions, where any is named. */
    alliances: number[];
    /** Members of one of these alliances, corporations and coalitions, where any is named. */
    corporations: number[];
    /** Members of one of these alliances, corporations and coalitions, where any is named. */
    coalitions: string[];
    /** Members of at least one of these groups, where any is named. */
    groups_any: string[];
    /** Members of none of these groups. */
    groups_none: string[];
    /** Of at least this clearance level. */
    min_level: number;
  };
  /** Who decides applications, besides the owner and level 9. */
  moderators: {
    /** Ids of characters. */
    users: number[];
    /** Ids of groups whose members decide, too. */
    groups: string[];
  };
  /** character: each character must be eligible itself; person: a character is eligible if one character of its person meets all conditions, and none of the person's characters is in an excluded group. Level 9 is needed to set or change a policy with `person`. The owner of a hand-made group that it names in `groups_any` or `groups_none` can find out whose alt somebody is, by adding characters. */
  reach: 'character' | 'person';
  /** Hours for which a member stays after ceasing to be eligible. Who was added by hand and never was eligible stays. */
  grace_hours: number;
  /** Hours after a rejection before the next application. */
  reapply_hours: number;
  /** What applicants are asked, at most 4096 bytes of UTF-8 in all. */
  questions: string[];
  /** Days after which an undecided application ends. */
  expire_days: number;
}

/** A group by id and name. */
export interface GroupShort {
  /** Id of the group: 24 hexadecimal digits. */
  group_id: string;
  /** Name of the group. */
  group_name: string;
}

/** An invitation: used once, valid for 24 hours, with any dynamic app token. */
export interface GuestCode {
  /** To be sent as `state_code` to `POST /token/use/from/dyn`. */
  state_code: string;
}

/** What the runs of a job would take away from so many that nothing is changed for now. */
export interface HeldChange {
  /** Names exactly these changes: other ones have another id. */
  held_id: string;
  /** The job whose runs find them. */
  job_id: string;
  /** Users who would lose something, indirectly too. */
  losers: number;
  /** Users that the run looked at. */
  looked_at: number;
  /** When a run found exactly these for the first time. */
  first_found_on: string;
  /** When they counted last as found. */
  found_on: string;
  /** In how many runs that were far enough apart; a few, who would not be held back alone, may be found in fewer. */
  found: number;
  /** So many, and they are let through. */
  needed: number;
  /** About when that will be, if every run finds them again; null: no run is scheduled. */
  passes_on: string | null;
  /** What would change, organizations first: the first 500 of it. */
  details: HeldDetail[];
  /** How much would change besides. */
  more: number;
}

/** One value that would change, and whose. */
export interface HeldDetail {
  /** Name of the field. */
  field: string;
  /** Null if there was no value. */
  before: string | number | boolean | string[] | null;
  /** What it is now; null where there is nothing any more. */
  after: string | number | boolean | string[] | null;
  /** Who, or what, would change. */
  target: Target;
}

/** A scheduled background job. */
export interface Job {
  /** Whether several missed runs become one: always true. */
  coalesce: boolean;
  /** The queue that runs it. */
  executor: string;
  /** The handler. */
  function: string;
  /** The schedule's name. */
  job_id: string;
  /** How many runs at once. */
  max_instances: number | null;
  /** Seconds after which a missed run is dropped; null: never. */
  misfire_grace_time: number | null;
  /** Title of the job, for people. */
  name: string;
  /** When it runs next; null if it runs only on request. */
  next_run_time: string | null;
  /** The cron expression, in the time zone of the instance: UTC unless it says otherwise. */
  trigger: string | null;
}

/** The result of a dry run. */
export interface JobDryRun {
  /** The schedule's name. */
  job_id: string;
  /** What a run would change now, one entry for each change. */
  changes: Record<string, unknown>[];
}

/** A run that was requested. */
export interface JobRun {
  /** The schedule's name. */
  job_id: string;
  /** Id of this run, as in the logs. */
  run_id: string;
}

/** A group that can be joined, and whether the caller can join it. */
export interface JoinableGroup {
  /** The group. */
  group: GroupShort;
  /** closed: the owner adds members; application: somebody decides; open: eligible users may join. */
  joining: 'closed' | 'application' | 'open';
  /** Whether the caller could join, or apply, now. */
  may_join: boolean;
  /** Why, or why not, for people. */
  why: string;
  /** What applicants are asked, at most 4096 bytes of UTF-8 in all. */
  questions: string[];
  /** The caller's pending application, if any. */
  application_id: string | null;
}

/** Ids that came into a list or left it: `members` are users. */
export interface ListChange {
  /** Name of the field. */
  field: string;
  /** At most 500: more of them are told by several events. */
  added: number[];
  /** Ids of those who left. */
  removed: number[];
}

/** A sign-in that was started. */
export interface Login {
  /** Where to send the player: the sign-on page of the provider. */
  login_url: string;
  /** Returned with the user token. Used up by the sign-in that succeeds; valid for 10 minutes, and for another 10 after a player was asked to grant more scopes. */
  state_code: string;
}

/** A character, corporation, alliance or mailing list that a mail went to. */
export interface MailRecipient {
  /** Id of a character, corporation, alliance or mailing list. */
  recipient_id: number;
  /** `Mailing list N` or `#N` if the name is not available. */
  recipient_name: string;
}

/** A new application, with its secret. */
export interface NewOidcClient {
  /** What the application calls itself in the protocol. */
  client_id: string;
  /** How the application is called where people are asked whether it may know them. */
  client_name: string;
  /** Where browsers come back to, 1 to 20: https, or http of localhost and loopback addresses. Compared exactly, letter by letter. */
  redirect_uris: string[];
  /** Where browsers may go to after a logout; compared exactly, too. */
  post_logout_redirect_uris: string[];
  /** Called by POST when a session of the application ends; null where nothing is called. Addresses that are not public are refused unless CALLBACK_ALLOW_PRIVATE is set. */
  backchannel_logout_uri: string | null;
  /** Whether it has no secret. */
  public: boolean;
  /** Ids of groups, autogroups too: users who are in none of them are refused. Null: everybody who may log in is admitted. Empty: the groups were deleted, and nobody is. */
  allowed_groups: string[] | null;
  /** Whether people are not asked before it first learns who they are. */
  first_party: boolean;
  /** What its ID tokens are signed with. */
  id_token_signed_response_alg: SigningAlgorithm;
  /** When it was made here. */
  created_on: string;
  /** When it was last issued tokens, to the minute; null if never. */
  last_used_on: string | null;
  /** Shown only in this answer; a public application has none. */
  client_secret?: string | undefined;
}

/** A new webhook with its secret. */
export interface NewWebhook {
  /** Names the webhook: 24 hexadecimal digits. */
  webhook_id: string;
  /** Where the events are posted to. */
  url: string;
  /** Types of events, `group.*` and `*` among them. */
  types: string[];
  /** Of events about groups, only those about these; null: all. */
  group_ids: string[] | null;
  /** Whether deliveries are sent in the order of their positions, each after the one before it has succeeded. */
  ordered: boolean;
  /** Whether anything is delivered. */
  enabled: boolean;
  /** Why nothing is delivered. */
  disabled_because: DisabledReason | null;
  /** Since when nothing is delivered. */
  disabled_on: string | null;
  /** Events up to this one were taken up, whether or not they have been delivered yet. */
  position: number;
  /** Deliveries that are waiting for their next try, or are under way. */
  waiting: number;
  /** Tries that failed since one succeeded. */
  failures: number;
  /** The application that it belongs to. */
  app_token: string | null;
  /** The user whom it belongs to, where it was made with a user token. */
  owner_id: number | null;
  /** When it was made here. */
  created_on: string;
  /** When it was last changed here. */
  updated_on: string;
  /** Signs the deliveries, as Standard Webhooks 1.0 has it: `whsec_` and 32 bytes in base64. Shown this once. */
  secret: string;
}

/** An application that lets people sign in here by OpenID Connect. */
export interface OidcClient {
  /** What the application calls itself in the protocol. */
  client_id: string;
  /** How the application is called where people are asked whether it may know them. */
  client_name: string;
  /** Where browsers come back to, 1 to 20: https, or http of localhost and loopback addresses. Compared exactly, letter by letter. */
  redirect_uris: string[];
  /** Where browsers may go to after a logout; compared exactly, too. */
  post_logout_redirect_uris: string[];
  /** Called by POST when a session of the application ends; null where nothing is called. Addresses that are not public are refused unless CALLBACK_ALLOW_PRIVATE is set. */
  backchannel_logout_uri: string | null;
  /** Whether it has no secret. */
  public: boolean;
  /** Ids of groups, autogroups too: users who are in none of them are refused. Null: everybody who may log in is admitted. Empty: the groups were deleted, and nobody is. */
  allowed_groups: string[] | null;
  /** Whether people are not asked before it first learns who they are. */
  first_party: boolean;
  /** What its ID tokens are signed with. */
  id_token_signed_response_alg: SigningAlgorithm;
  /** When it was made here. */
  created_on: string;
  /** When it was last issued tokens, to the minute; null if never. */
  last_used_on: string | null;
}

/** A new secret of an application. */
export interface OidcClientSecret {
  /** The application. */
  client_id: string;
  /** Shown this once. */
  client_secret: string;
}

/** One or more characters of one human. */
export interface Person {
  /** Id of the person; that of a person of one character ends with its first link. Where characters are hidden it is that of the visible one with the smallest id alone: a common id would tell who belongs together. */
  person_id: string;
  /** The main character of the person; null if the caller may not see it. */
  main: UserShort | null;
  /** Those within reach, ordered by name ignoring case, then by id. */
  characters: PersonCharacter[];
  /** How many more there are, beyond the read authority of the caller. */
  hidden: number;
}

/** What happened to a character of a person. */
export interface PersonChange {
  /** When it happened. */
  occurred_on: string;
  /** linked: proven by a user token. unlinked: taken out by one of the person. owner_changed: handed to another human. deleted: the user is gone. merged, split: by an administrator. */
  happened: 'linked' | 'unlinked' | 'owner_changed' | 'deleted' | 'merged' | 'split';
  character: UserShort;
  /** The person that it left; null if it was not linked. */
  from_person: string | null;
  /** The person that it joined; null if it is not linked now. */
  to_person: string | null;
  /** Who did it; null for the service itself or a deleted user. */
  by: UserShort | null;
  /** The reason that an administrator gave. */
  reason: string | null;
}

/** A character of a person. */
export interface PersonCharacter {
  user: UserShort;
  /** proven: a sign-in of the last 90 days or a valid refresh token proves the owner. stale: neither does. changed: the game says that the character has a new owner, who has not signed in yet. */
  ownership: 'proven' | 'stale' | 'changed';
  /** When its present owner first signed in with it; null if never. */
  proven_on: string | null;
  /** State of its refresh tokens, as in tracking. */
  tracking: 'valid' | 'invalid' | 'none';
}

/** The two persons that one became. */
export interface PersonSplit {
  /** The person without them. */
  person: Person;
  /** The person that they are now. */
  split_off: Person;
}

/** A new application token. */
export interface PostAppToken {
  /** http or https URL of at most 2000 characters, without user, password or fragment. Where a sign-in ends: it adds `state_code` and `user_token` to the query. */
  callback: string;
  /** A comment for people, for example the application's name. */
  comments?: string | null | undefined;
}

/** A wish to join a group. Message and answers hold at most 8192 bytes of UTF-8 in all. */
export interface PostApplication {
  /** What to tell those who decide. */
  message?: string | null | undefined;
  /** An answer to each question of the group, in its order. */
  answers?: string[] | null | undefined;
  /** The questions that these answers are to: a 409 if the group asks others by now, or in another order. Not checked without them. */
  questions?: string[] | null | undefined;
}

/** A new coalition. */
export interface PostCoalition {
  /** Name of the coalition. */
  coalition_name: string;
  /** The short form of the name. */
  ticker: string;
}

/** A new group. */
export interface PostGroup {
  /** Name of the group. */
  group_name: string;
  /** Empty where absent. */
  description?: string | null | undefined;
}

/** A sign-in to start. */
export interface PostLogin {
  /** Scopes to ask the player for; `["publicData"]` where absent. */
  scopes?: ExtScope[] | null | undefined;
  /** A valid state code of the calling token, or the code of an invitation; generated if absent. */
  state_code?: string | null | undefined;
}

/** Which person to merge into another one, and why. */
export interface PostMerge {
  /** The person whose characters are moved to this one. */
  person_id: string;
  /** The reason; stored in the person's history. */
  reason: string;
  /** Answer what would change, without changing it. */
  dry_run?: boolean | null | undefined;
}

/** A new application. */
export interface PostOidcClient {
  /** How the application is called where people are asked whether it may know them. */
  client_name: string;
  /** Where browsers come back to, 1 to 20: https, or http of localhost and loopback addresses. Compared exactly, letter by letter. */
  redirect_uris: string[];
  /** Where browsers may go to after a logout; compared exactly, too. */
  post_logout_redirect_uris?: string[] | null | undefined;
  /** Called by POST when a session of the application ends; null where nothing is called. Addresses that are not public are refused unless CALLBACK_ALLOW_PRIVATE is set. An empty text removes it. */
  backchannel_logout_uri?: string | null | undefined;
  /** Ids of groups, autogroups too: users who are in none of them are refused. An empty list removes the restriction; it changes nothing where the list is empty because its groups were deleted. */
  allowed_groups?: string[] | null | undefined;
  /** Whether people are not asked before it first learns who they are. */
  first_party?: boolean | null | undefined;
  /** What its ID tokens are signed with. RS256 at first, or EdDSA where the service has no RSA key. */
  id_token_signed_response_alg?: SigningAlgorithm | null | undefined;
  /** Whether it runs where no secret is safe, in a browser or on a phone: it gets none, and PKCE proves it. Never changes. */
  public?: boolean | null | undefined;
}

/** The proof that another character is one’s own. */
export interface PostPersonCharacter {
  /** A user token of the other character, from a sign-in of the last 10 minutes through the same application. */
  user_token: string;
}

/** From where on to deliver again. */
export interface PostReplay {
  /** A position, as a number or like the cursors of the feed as text: the events after it are delivered again, under the ids that they had. */
  after: number | string;
}

/** Which characters to take out of a person, and why. */
export interface PostSplit {
  /** Ids of the characters that become a person of their own. */
  characters: number[];
  /** The reason; stored in the person's history. */
  reason: string;
  /** Answer what would change, without changing it. */
  dry_run?: boolean | null | undefined;
}

/** A new webhook. */
export interface PostWebhook {
  /** http or https URL of at most 2000 characters, without user, password or fragment. Where the events are posted to. */
  url: string;
  /** Types of events; `group.*` means all events of groups, `*` all types, including future ones. */
  types: string[];
  /** Of events about groups, only those about these; null: about all. */
  group_ids?: string[] | null | undefined;
  /** Whether deliveries are sent in the order of their positions, each after the one before it has succeeded. Otherwise many at the same time; false where absent. */
  ordered?: boolean | null | undefined;
}

/** What a change would do to people. Nothing was stored. It answers `dry_run=true` alone, as `application/vnd.castellan.preview+json`; the usual answer of a deletion has no body. */
export interface Preview {
  /** One entry for each right that anybody would gain or lose, by the policies of groups that the caller may see, too, where no grace is left; empty if the change affects nobody. */
  changes: PreviewChange[];
}

/** What one change would give to, or take from, so many users. */
export interface PreviewChange {
  /** What is gained or lost: the permission to log in, a clearance level, the membership in a group (autogroups too), or a refresh token that covers all required scopes. */
  about: 'login' | 'level' | 'group' | 'validity';
  /** Whether these users would gain it or lose it. */
  effect: 'gained' | 'lost';
  /** Which group, where it is about one; else null. An autogroup that the change would make has no id yet that will last. */
  group: GroupShort | null;
  /** The level before, where it is about levels; else null. */
  from_level: number | null;
  /** The level afterwards, where it is about levels; else null, as of a user who is deleted. */
  to_level: number | null;
  /** How many users. */
  count: number;
  /** The first 100 of them, ordered by name ignoring case, then by id. */
  users: UserShort[];
}

/** Body of an error. */
export interface Problem {
  /** What went wrong, in one sentence. */
  detail: string;
  code: ErrorCode;
}

/** What to change about the local record of an alliance. */
export interface PutAlliance {
  /** Replaces the required scopes, which are kept sorted and each once; null or absent leaves them as they are. */
  mandatory_ext_scopes?: ExtScope[] | null | undefined;
}

/** A decision, which is final. */
export interface PutApplication {
  /** Whether the applicant becomes a member. */
  decision: 'approved' | 'rejected';
  /** Told to the applicant. */
  reason?: string | null | undefined;
  /** For moderators alone. */
  note?: string | null | undefined;
}

/** What to change about a coalition; null means the same as leaving a field out, an empty list is a list. */
export interface PutCoalition {
  /** Ids of registered alliances to add. */
  add_member_alliances?: number[] | null | undefined;
  /** Ids of registered corporations to add. */
  add_member_corporations?: number[] | null | undefined;
  /** Once set, it never returns to null. */
  authorized_to_login?: boolean | null | undefined;
  /** Replaces the required scopes, which are kept sorted and each once; null or absent leaves them as they are. */
  mandatory_ext_scopes?: ExtScope[] | null | undefined;
  /** Replaces all member alliances; cannot be combined with additions or removals of alliances. */
  member_alliances?: number[] | null | undefined;
  /** Replaces all member corporations; cannot be combined with additions or removals of corporations. */
  member_corporations?: number[] | null | undefined;
  /** Ids of alliances to remove. */
  remove_member_alliances?: number[] | null | undefined;
  /** Ids of corporations to remove. */
  remove_member_corporations?: number[] | null | undefined;
  /** The short form of the name. */
  ticker?: string | null | undefined;
}

/** What to change about the local record of a corporation. */
export interface PutCorporation {
  /** Replaces the required scopes, which are kept sorted and each once; null or absent leaves them as they are. */
  mandatory_ext_scopes?: ExtScope[] | null | undefined;
}

/** What to change about a group; null means the same as leaving a field out, an empty list is a list. */
export interface PutGroup {
  /** Names of existing users to add. */
  add_members?: string[] | null | undefined;
  /** Once set, it never returns to null. */
  authorized_to_login?: boolean | null | undefined;
  /** Free text. */
  description?: string | null | undefined;
  /** Names of existing users; replaces all members, and cannot be combined with additions or removals. */
  members?: string[] | null | undefined;
  /** Name of an existing user, who becomes a member too. */
  owner?: string | null | undefined;
  /** Names of users to remove; the owner stays a member in any case. */
  remove_members?: string[] | null | undefined;
}

/** The fields of a policy to change; null means the same as leaving a field out. */
export interface PutGroupPolicy {
  /** closed: the owner adds members; application: somebody decides; open: eligible users may join. */
  joining?: 'closed' | 'application' | 'open' | undefined;
  /** Who may see the policy, and finds the group among those to join. */
  visible_to?: 'everyone' | 'eligible' | 'members' | undefined;
  /** Who may be a member. The owner always may. Replaces the former conditions as a whole. */
  eligible?: {
    /** Members of one of these alliances, corporations and coalitions, where any is named. */
    alliances?: number[] | null | undefined;
    /** Members of one of these alliances, corporations and coalitions, where any is named. */
    corporations?: number[] | null | undefined;
    /** Members of one of these alliances, corporations and coalitions, where any is named. */
    coalitions?: string[] | null | undefined;
    /** Members of at least one of these groups, where any is named. */
    groups_any?: string[] | null | undefined;
    /** Members of none of these groups. */
    groups_none?: string[] | null | undefined;
    /** Of at least this clearance level. */
    min_level?: number | null | undefined;
  } | null | undefined;
  /** Who decides applications, besides the owner and level 9. Replaces the former ones as a whole. */
  moderators?: {
    /** Ids of characters. */
    users?: number[] | null | undefined;
    /** Ids of groups whose members decide, too. */
    groups?: string[] | null | undefined;
  } | null | undefined;
  /** character: each character must be eligible itself; person: a character is eligible if one character of its person meets all conditions, and none of the person's characters is in an excluded group. Level 9 is needed to set or change a policy with `person`. The owner of a hand-made group that it names in `groups_any` or `groups_none` can find out whose alt somebody is, by adding characters. */
  reach?: 'character' | 'person' | undefined;
  /** Hours for which a member stays after ceasing to be eligible. Who was added by hand and never was eligible stays. */
  grace_hours?: number | null | undefined;
  /** Hours after a rejection before the next application. */
  reapply_hours?: number | null | undefined;
  /** What applicants are asked, at most 4096 bytes of UTF-8 in all. */
  questions?: string[] | null | undefined;
  /** Days after which an undecided application ends. */
  expire_days?: number | null | undefined;
}

/** What to change about an application. Null means the same as leaving a field out. */
export interface PutOidcClient {
  /** How the application is called where people are asked whether it may know them. */
  client_name?: string | null | undefined;
  /** Where browsers come back to, 1 to 20: https, or http of localhost and loopback addresses. Compared exactly, letter by letter. */
  redirect_uris?: string[] | null | undefined;
  /** Where browsers may go to after a logout; compared exactly, too. */
  post_logout_redirect_uris?: string[] | null | undefined;
  /** Called by POST when a session of the application ends; null where nothing is called. Addresses that are not public are refused unless CALLBACK_ALLOW_PRIVATE is set. An empty text removes it. */
  backchannel_logout_uri?: string | null | undefined;
  /** Ids of groups, autogroups too: users who are in none of them are refused. An empty list removes the restriction; it changes nothing where the list is empty because its groups were deleted. */
  allowed_groups?: string[] | null | undefined;
  /** Whether people are not asked before it first learns who they are. */
  first_party?: boolean | null | undefined;
  /** What its ID tokens are signed with. RS256 at first, or EdDSA where the service has no RSA key. */
  id_token_signed_response_alg?: SigningAlgorithm | null | undefined;
  /** Never changes: what it is may be sent, so that the body of the registration can be sent again; anything else is a 422. */
  public?: boolean | null | undefined;
}

/** What to change about a person. */
export interface PutPerson {
  /** Id of the character of the person that becomes its main. */
  main: number;
}

/** What to change about a user. */
export interface PutUser {
  /** The new level; null or absent leaves it as it is. */
  clearance_level?: number | null | undefined;
}

/** What is to be another way about a webhook. */
export interface PutWebhook {
  /** Where the events are posted to from now on, what failed at the former URL included. At another host that begins at once; at the same one the pause that the receiver asked for stays, and how often it failed. */
  url?: string | null | undefined;
  /** The whole list of types. */
  types?: string[] | null | undefined;
  /** The whole list of groups; an empty list: all of them again. */
  group_ids?: string[] | null | undefined;
  /** Whether deliveries are sent in the order of their positions, each after the one before it has succeeded. */
  ordered?: boolean | null | undefined;
  /** False: nothing is delivered, and nothing is lost. True: it continues where it stopped, and failed deliveries of the last 30 days are retried. */
  enabled?: boolean | null | undefined;
}

/** RS256 is what every application of OpenID Connect understands. */
export type SigningAlgorithm = 'RS256' | 'EdDSA';

/** How the instance is. */
export interface SystemStatus {
  /** When all this was so. */
  as_of: string;
  /** The worst state of all findings. */
  state: 'good' | 'mind' | 'bad';
  /** The results of all checks, good ones included. */
  findings: Finding[];
  /** Version of the process that answers. */
  version: string;
  /** When that process was started. */
  started_on: string;
  /** How many there are. */
  users: {
    /** Users without the built-in one and guests. */
    members: number;
    /** Guests of a corporation. */
    guests: number;
  };
  /** Of the game's sign-on. */
  refresh_tokens: {
    /** Refresh tokens that are valid. */
    valid: number;
    /** Refresh tokens that the game has declared invalid. */
    invalid: number;
  };
  /** All users were compared with the game since this time; null if that has not happened yet. */
  synced_on: string | null;
  /** Errors that the game's API still allows in its present minute; null: it has not said. */
  provider_errors_left: number | null;
  /** Crash reports of the last day. */
  crash_reports: number;
  /** The scheduled jobs, by name. */
  jobs: ({
    /** The schedule's name. */
    job_id: string;
    /** When its last run began; null before the first one. */
    ran_on: string | null;
    /** When it runs next. */
    next_run_time: string | null;
    /** Runs that are due and wait for a worker. */
    waiting: number;
    /** Runs that failed for good within a day. */
    failed: number;
  })[];
}

/** What an event is about. */
export interface Target {
  /** What kind of record it is. The list grows: pass over what is about kinds that you do not know. */
  type: 'user' | 'group' | 'coalition' | 'corporation' | 'alliance' | 'token' | 'grant' | 'application' | 'person' | 'voice_identity' | 'job' | 'held_change' | 'crash_report' | 'webhook' | 'oidc_client';
  /** Its id as text, also if the id is a number. */
  id: string;
  /** What it was called at that time. */
  name: string | null;
}

/** A token as it is stored. Its text, the JWT, is shown once, when it is made. */
export interface Token {
  /** Where a sign-in that this app token started ends. */
  callback: string | null;
  /** A comment by its creator. */
  comments: string | null;
  /** When it was made here. */
  created_on: string;
  /** Null for app tokens: they do not expire. */
  expires_on: string | null;
  /** The user whose clearance counts. For a token made from a permanent app token, clearance_level is what the token can do: never above the present level of that app token's owner. */
  owner: User;
  /** Uuid of the token that this one was made with; deleting that deletes this. */
  parent: string | null;
  /** dyn: dynamic application token. per: permanent application token. use: user token. */
  token_type: 'dyn' | 'per' | 'use';
  /** Id of the token; the token itself cannot be derived from it. */
  uuid: string;
}

/** Every member in exactly one list, by the state of its refresh tokens. Guests and the built-in user are not members. */
export interface Tracking {
  /** At least one valid refresh token covers every scope that is required of the user. */
  valid_refresh_token: UserShort[];
  /** There are refresh tokens, but each is invalid or lacks a required scope. */
  invalid_refresh_token: UserShort[];
  /** No refresh token at all. */
  no_refresh_token: UserShort[];
}

/** A game character that signed in here, was registered as a CEO or from the list of members of its corporation, or the built-in user. */
export interface User {
  /** Id of the alliance of the corporation, if any. */
  alliance: number | null;
  /** Scopes of the valid refresh tokens that this service holds for the user, sorted. */
  available_ext_scopes: ExtScope[];
  /** Id of the character; 0 is the built-in user. */
  character_id: number;
  /** Name of the character. */
  character_name: string;
  /** -1 guest · 0 own data · 1/2 read/write in the corporation · 3/4 alliance · 5/6 coalition · 7/8 everybody · 9 administration · 10 superuser. */
  clearance_level: number;
  /** Ids of the coalitions, through the alliance or the corporation. */
  coalitions: string[];
  /** Id of the corporation in decimal digits; null for members of the game's own corporations. */
  corporation: string | null;
  /** When it was made here. */
  created_on: string;
  /** What corporation, alliance and coalitions together require, sorted. */
  cumulated_mandatory_ext_scopes: ExtScope[];
  /** CEO of the alliance's executor corporation. */
  is_ceo_of_alliance: boolean;
  /** Whether it is the CEO of its corporation. */
  is_ceo_of_corporation: boolean;
  /** `[TICKER] name` with the alliance's ticker, else the corporation's, else the bare name. */
  tickered_name: string;
  /** When it was last changed here. */
  updated_on: string;
}

/** A group that a user is a member of. */
export interface UserGroup {
  /** Id of the group: 24 hexadecimal digits. */
  group_id: string;
  /** Name of the group. */
  group_name: string;
  /** Kept by the service itself: it follows a corporation, an alliance, a coalition, or the voice server. */
  is_autogroup: boolean;
  /** Whether the user owns the group. */
  is_owner: boolean;
}

/** A user by id and name. */
export interface UserShort {
  /** Id of the character; 0 is the built-in user. */
  character_id: number;
  /** Name of the character. */
  character_name: string;
}

/** A new user token in its signed form. */
export interface UserToken {
  /** The token to send as `Authorization: Bearer …`. Shown this once. */
  user_token: string;
}

/** One thing wrong with a request. */
export interface ValidationIssue {
  /** Where: `path`, `query`, `header` or `body`, then the way to the value. */
  loc: (string | number)[];
  /** What is wrong with the value. */
  msg: string;
  /** Kind of the issue, for programs. */
  type: string;
}

/** Path, query, headers or body are not what the operation takes. */
export interface ValidationProblem {
  /** Everything that is wrong with the request. */
  detail: ValidationIssue[];
  /** What went wrong, for programs. */
  code: 'invalid_request';
}

/** A field that has another value now. */
export interface ValueChange {
  /** Name of the field. */
  field: string;
  /** Null if there was no value. */
  before: string | number | boolean | string[] | null;
  /** What it is now; null where there is nothing any more. */
  after: string | number | boolean | string[] | null;
}

/** A nickname that proves who takes it. */
export interface VoiceChallenge {
  /** When the challenge ends. */
  expiration_datetime: string;
  /** The nickname to take on the voice server: 20 letters and digits. */
  challenge_nickname: string;
  user: UserShort;
}

/** Where events are sent. Its secret is shown once, when it is made. */
export interface Webhook {
  /** Names the webhook: 24 hexadecimal digits. */
  webhook_id: string;
  /** Where the events are posted to. */
  url: string;
  /** Types of events, `group.*` and `*` among them. */
  types: string[];
  /** Of events about groups, only those about these; null: all. */
  group_ids: string[] | null;
  /** Whether deliveries are sent in the order of their positions, each after the one before it has succeeded. */
  ordered: boolean;
  /** Whether anything is delivered. */
  enabled: boolean;
  /** Why nothing is delivered. */
  disabled_because: DisabledReason | null;
  /** Since when nothing is delivered. */
  disabled_on: string | null;
  /** Events up to this one were taken up, whether or not they have been delivered yet. */
  position: number;
  /** Deliveries that are waiting for their next try, or are under way. */
  waiting: number;
  /** Tries that failed since one succeeded. */
  failures: number;
  /** The application that it belongs to. */
  app_token: string | null;
  /** The user whom it belongs to, where it was made with a user token. */
  owner_id: number | null;
  /** When it was made here. */
  created_on: string;
  /** When it was last changed here. */
  updated_on: string;
}

/** One event on its way to one webhook. Kept for 30 days after it has ended. */
export interface WebhookDelivery {
  /** Of the event; the header `webhook-id` of every try. */
  delivery_id: string;
  /** Type of the event, or `webhook.test`. */
  type: string;
  /** Of the event; null for a test. */
  position: number | null;
  /** `waiting`: for its next try, or under way. `failed`: it is not tried any more. */
  state: 'waiting' | 'delivered' | 'failed';
  /** How often it was tried. */
  tries: number;
  /** When it is tried next; null where it is not any more. */
  next_try_on: string | null;
  /** When it was tried last. */
  tried_on: string | null;
  /** What the receiver answered to the last try. */
  status: number | null;
  /** Why the last try came to no answer. */
  fault: string | null;
  /** When it was made here. */
  created_on: string;
}

/** Body of a delivery. */
export interface WebhookMessage {
  /** Type of the event, or `webhook.test`. */
  type: string;
  /** When it happened. */
  timestamp: string;
  /** The event; of a test, which webhook it came by. */
  data: Event | {
    /** Id of the webhook. */
    webhook_id: string;
  };
}

/** The new secret of a webhook. */
export interface WebhookSecret {
  /** Signs the deliveries, as Standard Webhooks 1.0 has it: `whsec_` and 32 bytes in base64. Shown this once. */
  secret: string;
  /** Until then deliveries carry a signature by the former secret, too. */
  former_until: string;
}

/** The answer to a question about a user, with its reasons; computed by the same code that decides. */
export interface Why {
  /** What was asked. */
  about: string;
  /** `unknown` where the question has no answer for this user. */
  answer: 'yes' | 'no' | 'unknown';
  /** The time that the answer is valid for. */
  as_of: string;
  /** Position of the last event that the answer takes into account. */
  position: number | null;
  /** The answer with its reason, for people. */
  sentence: string;
  /** All facts that it is based on. */
  facts: WhyFact[];
  /** Changes that would turn a no into a yes, and who could make them. */
  fixes: WhyFix[];
}

/** A fact that an answer is based on. */
export interface WhyFact {
  /** Number of the rule that makes the fact count, as docs/rules.md has it. */
  rule: string;
  /** The record that the fact comes from; null if it is the user itself, or none. */
  source: WhySource | null;
  /** By which organization of the user's the source reaches it: `corporation`, `alliance` or `coalition`; null: directly. */
  via: string | null;
  /** The fact, for people. */
  says: string;
  /** Whether the answer or its reason would differ without this fact. */
  decisive: boolean;
  /** Id of the event that made it so, where that is known. */
  since_event: string | null;
}

/** A change that would turn a no into a yes. */
export interface WhyFix {
  /** Who could do it: a user by name, an owner, or the level needed. */
  who: string;
  /** What to do, for people. */
  text: string;
  /** The operation of this document that does it, by its id. */
  operation: string;
}

/** Where a fact comes from. */
export interface WhySource {
  /** Kind of record; `hidden`: one that the caller may not see. */
  type: 'corporation' | 'alliance' | 'coalition' | 'group' | 'hidden';
  /** Its id; null where it is hidden. */
  id: string | null;
  /** Its name; null where it is hidden. */
  name: string | null;
}

export type ListAlliancesAnswer =
  | Answer<200, AllianceShort[]>
  | Answer<401 | 403 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface GetAllianceRequest extends CallOptions {
  params: {
    /** Id of the alliance in the game. */
    alliance_id: number;
  };
}

export type GetAllianceAnswer =
  | Answer<200, Alliance>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface TrackAllianceRequest extends CallOptions {
  params: {
    /** Id of the alliance in the game. */
    alliance_id: number;
  };
}

export type TrackAllianceAnswer =
  | Answer<200, Tracking>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface RegisterAllianceRequest extends CallOptions {
  params: {
    /** Id of the alliance in the game. */
    alliance_id: number;
  };
}

export type RegisterAllianceAnswer =
  | Answer<200, Alliance>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 502 | 503 | 504, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface UpdateAllianceRequest extends CallOptions {
  params: {
    /** Id of the alliance in the game. */
    alliance_id: number;
  };
  body?: PutAlliance | undefined;
}

export type UpdateAllianceAnswer =
  | Answer<200, Alliance>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface GetAllianceComplianceRequest extends CallOptions {
  params: {
    /** Id of the alliance in the game. */
    alliance_id: number;
  };
}

export type GetAllianceComplianceAnswer =
  | Answer<200, Compliance>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ListAllianceComplianceDaysRequest extends CallOptions {
  params: {
    /** Id of the alliance in the game. */
    alliance_id: number;
  };
}

export type ListAllianceComplianceDaysAnswer =
  | Answer<200, ComplianceDay[]>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ListApplicationsRequest extends CallOptions {
  query?: {
    /** `applicant`: the own ones; `moderator`: pending ones of groups that the caller moderates. */
    role?: 'applicant' | 'moderator' | undefined;
    /** At most so many; 100 where absent. */
    limit?: number | undefined;
    /** Begins after the page whose answer had this value in `X-Next`. */
    after?: string | undefined;
  } | undefined;
}

export type ListApplicationsAnswer =
  | Answer<200, Application[]>
  | Answer<401 | 403 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface DecideApplicationRequest extends CallOptions {
  params: {
    /** Id of the application. */
    application_id: string;
  };
  body: PutApplication;
}

export type DecideApplicationAnswer =
  | Answer<200, Application>
  | Answer<401 | 403 | 404 | 409 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface WithdrawApplicationRequest extends CallOptions {
  params: {
    /** Id of the application. */
    application_id: string;
  };
}

export type WithdrawApplicationAnswer =
  | Answer<200, undefined>
  | Answer<401 | 403 | 404 | 409 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ListAuditRequest extends CallOptions {
  query?: {
    /** Id of the character who did it. */
    actor?: number | undefined;
    /** What it is about, as `type:id`; a user also as one of the members who came or went. */
    target?: string | undefined;
    /** Only events of these types. */
    type?: string | undefined;
    /** Not before this moment. */
    since?: string | undefined;
    /** Before this moment. */
    until?: string | undefined;
    /** Events on a page; 100 where absent. It ends before where it has about 2 MiB. */
    limit?: number | undefined;
    /** Begins after the page whose answer had this value in `X-Next`. */
    after?: string | undefined;
  } | undefined;
}

export type ListAuditAnswer =
  | Answer<200, Event[]>
  | Answer<401 | 403 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface CompleteSignInRequest extends CallOptions {
  query?: {
    /** The provider's authorization code. */
    code?: string | undefined;
    /** The state code of the sign-in. */
    state?: string | undefined;
    /** The provider's word for what went wrong. */
    error?: string | undefined;
    /** The same in a sentence. */
    error_description?: string | undefined;
  } | undefined;
}

export type CompleteSignInAnswer =
  | Answer<302, undefined>
  | Answer<400 | 403 | 429 | 500 | 502 | 503, string>;

export type ListCoalitionsAnswer =
  | Answer<200, CoalitionShort[]>
  | Answer<401 | 403 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface GetCoalitionRequest extends CallOptions {
  params: {
    /** Id of the coalition. */
    coalition_id: string;
  };
}

export type GetCoalitionAnswer =
  | Answer<200, Coalition>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface CreateCoalitionRequest extends CallOptions {
  body: PostCoalition;
}

export type CreateCoalitionAnswer =
  | Answer<201, Coalition>
  | Answer<401 | 403 | 409 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface UpdateCoalitionRequest extends CallOptions {
  params: {
    /** Id of the coalition. */
    coalition_id: string;
  };
  body?: PutCoalition | undefined;
}

export type UpdateCoalitionAnswer =
  | Answer<200, Coalition>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface DeleteCoalitionRequest extends CallOptions {
  params: {
    /** Id of the coalition. */
    coalition_id: string;
  };
}

export type DeleteCoalitionAnswer =
  | Answer<200, undefined>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface TrackCoalitionRequest extends CallOptions {
  params: {
    /** Id of the coalition. */
    coalition_id: string;
  };
}

export type TrackCoalitionAnswer =
  | Answer<200, Tracking>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface GetCoalitionComplianceRequest extends CallOptions {
  params: {
    /** Id of the coalition. */
    coalition_id: string;
  };
}

export type GetCoalitionComplianceAnswer =
  | Answer<200, Compliance>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ListCoalitionComplianceDaysRequest extends CallOptions {
  params: {
    /** Id of the coalition. */
    coalition_id: string;
  };
}

export type ListCoalitionComplianceDaysAnswer =
  | Answer<200, ComplianceDay[]>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export type ListCorporationsAnswer =
  | Answer<200, CorporationShort[]>
  | Answer<401 | 403 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface GetCorporationRequest extends CallOptions {
  params: {
    /** Id of the corporation in the game. */
    corporation_id: number;
  };
}

export type GetCorporationAnswer =
  | Answer<200, Corporation>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface TrackCorporationRequest extends CallOptions {
  params: {
    /** Id of the corporation in the game. */
    corporation_id: number;
  };
}

export type TrackCorporationAnswer =
  | Answer<200, Tracking>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface RegisterCorporationRequest extends CallOptions {
  params: {
    /** Id of the corporation in the game. */
    corporation_id: number;
  };
}

export type RegisterCorporationAnswer =
  | Answer<200, Corporation>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 502 | 503 | 504, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface UpdateCorporationRequest extends CallOptions {
  params: {
    /** Id of the corporation in the game. */
    corporation_id: number;
  };
  body?: PutCorporation | undefined;
}

export type UpdateCorporationAnswer =
  | Answer<200, Corporation>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ListGuestsRequest extends CallOptions {
  params: {
    /** Id of the corporation in the game. */
    corporation_id: number;
  };
}

export type ListGuestsAnswer =
  | Answer<200, UserShort[]>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface CreateGuestCodeRequest extends CallOptions {
  params: {
    /** Id of the corporation in the game. */
    corporation_id: number;
  };
}

export type CreateGuestCodeAnswer =
  | Answer<200, GuestCode>
  | Answer<401 | 403 | 404 | 409 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface DeleteGuestRequest extends CallOptions {
  params: {
    /** Id of the corporation in the game. */
    corporation_id: number;
    /** Id of the guest. */
    character_id: number;
  };
}

export type DeleteGuestAnswer =
  | Answer<200, undefined>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface GetCorporationComplianceRequest extends CallOptions {
  params: {
    /** Id of the corporation in the game. */
    corporation_id: number;
  };
}

export type GetCorporationComplianceAnswer =
  | Answer<200, Compliance>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ListCorporationComplianceDaysRequest extends CallOptions {
  params: {
    /** Id of the corporation in the game. */
    corporation_id: number;
  };
}

export type ListCorporationComplianceDaysAnswer =
  | Answer<200, ComplianceDay[]>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export type ListCrashReportsAnswer =
  | Answer<200, CrashReportShort[]>
  | Answer<401 | 403 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface GetCrashReportRequest extends CallOptions {
  params: {
    /** Id of the report. */
    crash_report_id: string;
  };
}

export type GetCrashReportAnswer =
  | Answer<200, CrashReport>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface DeleteCrashReportRequest extends CallOptions {
  params: {
    /** Id of the report. */
    crash_report_id: string;
  };
}

export type DeleteCrashReportAnswer =
  | Answer<200, undefined>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ListEventsRequest extends CallOptions {
  query?: {
    /** A cursor, or the `Castellan-Position` of a list: digits, sent as they are, without quotes. */
    after?: number | string | undefined;
    /** Only events of these types; `group.*` means all events of groups. */
    types?: string | undefined;
    /** Events on a page; 100 where absent. It ends before where it has about 2 MiB. */
    limit?: number | undefined;
    /** Seconds for which the answer is held back until there is something. */
    wait?: number | undefined;
  } | undefined;
}

export type ListEventsAnswer =
  | Answer<200, EventPage>
  | Answer<401 | 403 | 410 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ForwardRequest extends CallOptions {
  params: {
    /** Path of the game's API, slashes included. A version prefix and a trailing slash are dropped; a path that the provider's own document does not list is a 404; what cannot be a plain path is a 422. */
    esi_path: string;
  };
  body?: ExternalForwardRequest | undefined;
}

export type ForwardAnswer =
  | Answer<200, ExternalForwardAnswer>
  | Answer<400, ExternalForwardRefusal>
  | Answer<401 | 413 | 415 | 429 | 503 | 504, Problem>
  | Answer<403 | 404 | 502, ExternalForwardRefusal | Problem>
  | Answer<422, ExternalForwardRefusal | ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ForwardByGetRequest extends CallOptions {
  params: {
    /** Path of the game's API, slashes included. A version prefix and a trailing slash are dropped; a path that the provider's own document does not list is a 404; what cannot be a plain path is a 422. */
    esi_path: string;
  };
  query?: {
    /** Fetch and join all pages of what is paged by `page` and `X-Pages`; the rest answers as without it. */
    all_pages?: boolean | undefined;
    /** Look up the names behind the ids in the answer. */
    id_annotations?: boolean | undefined;
    /** Id of the character whose access is used; the caller's own where absent. */
    on_behalf_of?: number | undefined;
    /** The query parameters of the forwarded request as one JSON object. */
    params?: Record<string, string | number | boolean | (string | number | boolean)[] | null> | undefined;
  } | undefined;
}

export type ForwardByGetAnswer =
  | Answer<200, ExternalForwardAnswer>
  | Answer<400, ExternalForwardRefusal>
  | Answer<401 | 413 | 415 | 429 | 503 | 504, Problem>
  | Answer<403 | 404 | 502, ExternalForwardRefusal | Problem>
  | Answer<422, ExternalForwardRefusal | ValidationProblem>
  | Answer<500, CrashProblem>;

export type ListGroupsAnswer =
  | Answer<200, GroupShort[]>
  | Answer<401 | 403 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export type ListJoinableGroupsAnswer =
  | Answer<200, JoinableGroup[]>
  | Answer<401 | 403 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface GetGroupRequest extends CallOptions {
  params: {
    /** Id of the group. */
    group_id: string;
  };
}

export type GetGroupAnswer =
  | Answer<200, Group>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface CreateGroupRequest extends CallOptions {
  body: PostGroup;
}

export type CreateGroupAnswer =
  | Answer<201, Group>
  | Answer<401 | 403 | 409 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface UpdateGroupRequest extends CallOptions {
  params: {
    /** Id of the group. */
    group_id: string;
  };
  body?: PutGroup | undefined;
}

export type UpdateGroupAnswer =
  | Answer<200, Group>
  | Answer<401 | 403 | 404 | 409 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface DeleteGroupRequest extends CallOptions {
  params: {
    /** Id of the group. */
    group_id: string;
  };
}

export type DeleteGroupAnswer =
  | Answer<200, undefined>
  | Answer<401 | 403 | 404 | 409 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface GetGroupPolicyRequest extends CallOptions {
  params: {
    /** Id of the group. */
    group_id: string;
  };
}

export type GetGroupPolicyAnswer =
  | Answer<200, GroupPolicy>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface SetGroupPolicyRequest extends CallOptions {
  params: {
    /** Id of the group. */
    group_id: string;
  };
  body?: PutGroupPolicy | undefined;
}

export type SetGroupPolicyAnswer =
  | Answer<200, GroupPolicy>
  | Answer<401 | 403 | 404 | 409 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ApplyToGroupRequest extends CallOptions {
  params: {
    /** Id of the group. */
    group_id: string;
  };
  body?: PostApplication | undefined;
}

export type ApplyToGroupAnswer =
  | Answer<200, Application>
  | Answer<401 | 403 | 404 | 409 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ListGroupApplicationsRequest extends CallOptions {
  params: {
    /** Id of the group. */
    group_id: string;
  };
  query?: {
    /** Only applications in this state. */
    state?: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired' | 'void' | undefined;
    /** At most so many; 100 where absent. */
    limit?: number | undefined;
    /** Begins after the page whose answer had this value in `X-Next`. */
    after?: string | undefined;
  } | undefined;
}

export type ListGroupApplicationsAnswer =
  | Answer<200, Application[]>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface LeaveGroupRequest extends CallOptions {
  params: {
    /** Id of the group. */
    group_id: string;
  };
}

export type LeaveGroupAnswer =
  | Answer<200, undefined>
  | Answer<401 | 403 | 404 | 409 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ListLocationsRequest extends Omit<CallOptions, 'headers'> {
  params: {
    /** Id of the character. */
    character_id: number;
  };
  headers?: {
    /** Page of the listing, 50 items each, newest first. */
    page?: number | undefined;
    [name: string]: string | number | undefined;
  } | undefined;
}

export type ListLocationsAnswer =
  | Answer<200, CharacterLocation[]>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ListMailsRequest extends Omit<CallOptions, 'headers'> {
  params: {
    /** Id of the character. */
    character_id: number;
  };
  headers?: {
    /** Page of the listing, 50 items each, newest first. */
    page?: number | undefined;
    [name: string]: string | number | undefined;
  } | undefined;
}

export type ListMailsAnswer =
  | Answer<200, CharacterMailShort[]>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface GetMailRequest extends CallOptions {
  params: {
    /** Id of the character. */
    character_id: number;
    /** Id of the mail. */
    mail_id: number;
  };
}

export type GetMailAnswer =
  | Answer<200, CharacterMail>
  | Answer<401 | 403 | 404 | 429 | 502 | 503 | 504, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ListSkillPointsRequest extends Omit<CallOptions, 'headers'> {
  params: {
    /** Id of the character. */
    character_id: number;
  };
  headers?: {
    /** Page of the listing, 50 items each, newest first. */
    page?: number | undefined;
    [name: string]: string | number | undefined;
  } | undefined;
}

export type ListSkillPointsAnswer =
  | Answer<200, CharacterSkillPoints[]>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ListWalletBalancesRequest extends Omit<CallOptions, 'headers'> {
  params: {
    /** Id of the character. */
    character_id: number;
  };
  headers?: {
    /** Page of the listing, 50 items each, newest first. */
    page?: number | undefined;
    [name: string]: string | number | undefined;
  } | undefined;
}

export type ListWalletBalancesAnswer =
  | Answer<200, CharacterWalletBalance[]>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface StoreLocationRequest extends CallOptions {
  params: {
    /** Id of the character. */
    character_id: number;
  };
}

export type StoreLocationAnswer =
  | Answer<200, CharacterLocation>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 502 | 503 | 504, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export type GetCurrentPersonAnswer =
  | Answer<200, Person>
  | Answer<401 | 403 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface LinkCharacterRequest extends CallOptions {
  body: PostPersonCharacter;
}

export type LinkCharacterAnswer =
  | Answer<200, Person>
  | Answer<401 | 403 | 409 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface UnlinkCharacterRequest extends CallOptions {
  params: {
    /** Id of a character of the person. */
    character_id: number;
  };
}

export type UnlinkCharacterAnswer =
  | Answer<200, Person>
  | Answer<401 | 403 | 404 | 409 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface UpdateCurrentPersonRequest extends CallOptions {
  body: PutPerson;
}

export type UpdateCurrentPersonAnswer =
  | Answer<200, Person>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface MergePersonsRequest extends CallOptions {
  params: {
    /** Id of the person. */
    person_id: string;
  };
  query?: {
    /** The same as `dry_run` in the body: either is enough. */
    dry_run?: boolean | undefined;
  } | undefined;
  body: PostMerge;
}

export type MergePersonsAnswer =
  | Answer<200, Person>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface SplitPersonRequest extends CallOptions {
  params: {
    /** Id of the person. */
    person_id: string;
  };
  query?: {
    /** The same as `dry_run` in the body: either is enough. */
    dry_run?: boolean | undefined;
  } | undefined;
  body: PostSplit;
}

export type SplitPersonAnswer =
  | Answer<200, PersonSplit>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ListPersonHistoryRequest extends CallOptions {
  params: {
    /** Id of the person. */
    person_id: string;
  };
}

export type ListPersonHistoryAnswer =
  | Answer<200, PersonChange[]>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export type ListOidcClientsAnswer =
  | Answer<200, OidcClient[]>
  | Answer<401 | 403 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface GetOidcClientRequest extends CallOptions {
  params: {
    /** Id of the application. */
    client_id: string;
  };
}

export type GetOidcClientAnswer =
  | Answer<200, OidcClient>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface CreateOidcClientRequest extends CallOptions {
  body: PostOidcClient;
}

export type CreateOidcClientAnswer =
  | Answer<201, NewOidcClient>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface UpdateOidcClientRequest extends CallOptions {
  params: {
    /** Id of the application. */
    client_id: string;
  };
  body: PutOidcClient;
}

export type UpdateOidcClientAnswer =
  | Answer<200, OidcClient>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface DeleteOidcClientRequest extends CallOptions {
  params: {
    /** Id of the application. */
    client_id: string;
  };
}

export type DeleteOidcClientAnswer =
  | Answer<200, undefined>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface RenewOidcClientSecretRequest extends CallOptions {
  params: {
    /** Id of the application. */
    client_id: string;
  };
}

export type RenewOidcClientSecretAnswer =
  | Answer<200, OidcClientSecret>
  | Answer<401 | 403 | 404 | 409 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export type GetSystemStatusAnswer =
  | Answer<200, SystemStatus>
  | Answer<401 | 403 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export type GetConfigurationAnswer =
  | Answer<200, Configuration>
  | Answer<401 | 403 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export type ListJobsAnswer =
  | Answer<200, Job[]>
  | Answer<401 | 403 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export type ListHeldChangesAnswer =
  | Answer<200, HeldChange[]>
  | Answer<401 | 403 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface RunJobRequest extends CallOptions {
  params: {
    /** The schedule's name. */
    job_id: string;
  };
  query?: {
    /** Let the run pass the guard, however much it takes away. */
    force?: boolean | undefined;
    /** Let the run pass the guard with exactly the changes that `GET /system/held` shows under this id. */
    approve?: string | undefined;
    /** Only answer what the run would change. */
    dry_run?: boolean | undefined;
  } | undefined;
}

export type RunJobAnswer =
  | Answer<200, JobRun | JobDryRun>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 502 | 503 | 504, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export type GetCurrentTokenAnswer =
  | Answer<200, Token>
  | Answer<401 | 403 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface DeleteTokenRequest extends CallOptions {
  query: {
    /** UUID (version 4) of the token. */
    uuid: string;
  };
}

export type DeleteTokenAnswer =
  | Answer<200, undefined>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface CreateDynamicTokenRequest extends CallOptions {
  body: PostAppToken;
}

export type CreateDynamicTokenAnswer =
  | Answer<200, AppToken>
  | Answer<401 | 403 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface CreatePermanentTokenRequest extends CallOptions {
  body: PostAppToken;
}

export type CreatePermanentTokenAnswer =
  | Answer<200, AppToken>
  | Answer<401 | 403 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface StartLoginRequest extends CallOptions {
  body?: PostLogin | undefined;
}

export type StartLoginAnswer =
  | Answer<200, Login>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export type CreateUserTokenAnswer =
  | Answer<200, UserToken>
  | Answer<401 | 403 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export type LogoutAnswer =
  | Answer<200, undefined>
  | Answer<401 | 403 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ListUsersRequest extends CallOptions {
  query?: {
    /** Part of the name, in any case. */
    search?: string | undefined;
    /** Members of this corporation. */
    corporation_id?: number | undefined;
    /** Members of the corporations of this alliance. */
    alliance_id?: number | undefined;
    /** Members of the alliances and corporations in this coalition. */
    coalition_id?: string | undefined;
    /** Members of this group. */
    group_id?: string | undefined;
    /** The least clearance level. */
    min_level?: number | undefined;
    /** Users on a page; 1,000 where absent. */
    limit?: number | undefined;
    /** Begins after the page whose answer had this value in `X-Next`. */
    after?: string | undefined;
  } | undefined;
}

export type ListUsersAnswer =
  | Answer<200, UserShort[]>
  | Answer<401 | 403 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface GetUserRequest extends CallOptions {
  params: {
    /** Name of the character, exactly; or else its id, in decimal digits. */
    character_name: string;
  };
}

export type GetUserAnswer =
  | Answer<200, User>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ListUserGroupsRequest extends CallOptions {
  params: {
    /** Name of the character, exactly; or else its id, in decimal digits. */
    character: string;
  };
}

export type ListUserGroupsAnswer =
  | Answer<200, UserGroup[]>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface AskWhyRequest extends CallOptions {
  params: {
    /** Name of the character, exactly; or else its id, in decimal digits. */
    character: string;
  };
  query: {
    /** The question about the user. `login`: may it log in? `level`: is it admitted as a member, and why at this level? `tracking`: do its refresh tokens cover what is required? `group:ID`: is it a member of the group? `read:ID` and `write:ID`: may it read or change the character with that id? */
    about: string;
  };
}

export type AskWhyAnswer =
  | Answer<200, Why>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface UpdateUserRequest extends CallOptions {
  params: {
    /** Id of the character; 0 is the built-in user. */
    character_id: number;
  };
  body?: PutUser | undefined;
}

export type UpdateUserAnswer =
  | Answer<200, User>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface DeleteUserRequest extends CallOptions {
  params: {
    /** Id of the character; 0 is the built-in user. */
    character_id: number;
  };
}

export type DeleteUserAnswer =
  | Answer<200, undefined>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface GetPersonOfUserRequest extends CallOptions {
  params: {
    /** Name of the character, exactly; or else its id, in decimal digits. */
    character: string;
  };
}

export type GetPersonOfUserAnswer =
  | Answer<200, Person>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export type StartVoiceChallengeAnswer =
  | Answer<200, VoiceChallenge>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export type CompleteVoiceChallengeAnswer =
  | Answer<201, undefined>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 502 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export type ListWebhooksAnswer =
  | Answer<200, Webhook[]>
  | Answer<401 | 403 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface GetWebhookRequest extends CallOptions {
  params: {
    /** Id of the webhook. */
    webhook_id: string;
  };
}

export type GetWebhookAnswer =
  | Answer<200, Webhook>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface CreateWebhookRequest extends CallOptions {
  body: PostWebhook;
}

export type CreateWebhookAnswer =
  | Answer<200, NewWebhook>
  | Answer<401 | 403 | 404 | 409 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface UpdateWebhookRequest extends CallOptions {
  params: {
    /** Id of the webhook. */
    webhook_id: string;
  };
  body: PutWebhook;
}

export type UpdateWebhookAnswer =
  | Answer<200, Webhook>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface DeleteWebhookRequest extends CallOptions {
  params: {
    /** Id of the webhook. */
    webhook_id: string;
  };
}

export type DeleteWebhookAnswer =
  | Answer<200, undefined>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface RotateWebhookSecretRequest extends CallOptions {
  params: {
    /** Id of the webhook. */
    webhook_id: string;
  };
}

export type RotateWebhookSecretAnswer =
  | Answer<200, WebhookSecret>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface TestWebhookRequest extends CallOptions {
  params: {
    /** Id of the webhook. */
    webhook_id: string;
  };
}

export type TestWebhookAnswer =
  | Answer<200, WebhookDelivery>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ListWebhookDeliveriesRequest extends CallOptions {
  params: {
    /** Id of the webhook. */
    webhook_id: string;
  };
  query?: {
    /** Only those in this state. */
    state?: 'waiting' | 'delivered' | 'failed' | undefined;
    /** Deliveries on a page; 100 where absent. */
    limit?: number | undefined;
    /** Begins after the page whose answer had this value in `X-Next`. */
    after?: string | undefined;
  } | undefined;
}

export type ListWebhookDeliveriesAnswer =
  | Answer<200, WebhookDelivery[]>
  | Answer<401 | 403 | 404 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface RetryWebhookDeliveryRequest extends CallOptions {
  params: {
    /** Id of the webhook. */
    webhook_id: string;
    /** Id of the delivery. */
    delivery_id: string;
  };
}

export type RetryWebhookDeliveryAnswer =
  | Answer<200, WebhookDelivery>
  | Answer<401 | 403 | 404 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

export interface ReplayWebhookRequest extends CallOptions {
  params: {
    /** Id of the webhook. */
    webhook_id: string;
  };
  body: PostReplay;
}

export type ReplayWebhookAnswer =
  | Answer<200, Webhook>
  | Answer<401 | 403 | 404 | 410 | 413 | 415 | 429 | 503, Problem>
  | Answer<422, ValidationProblem>
  | Answer<500, CrashProblem>;

/** Every operation of the service, under the names of its contract. */
export interface Api {
  /** Alliances of corporations. */
  readonly alliance: {
    /**
     * List alliances.
     *
     * All registered alliances, ordered by name ignoring case, then by id.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    list(request?: CallOptions): Promise<ListAlliancesAnswer>;
    /**
     * Get an alliance.
     *
     * A registered alliance. One that exists in the game but was never registered here is a 404.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    get(request: GetAllianceRequest): Promise<GetAllianceAnswer>;
    /**
     * Track the refresh tokens of an alliance.
     *
     * Sorts the members by the state of their refresh tokens. A refresh token counts as valid only if its scopes cover everything that is required of its user.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 3 or more, and read authority over the alliance that `alliance_id` names.
     */
    tracking(request: TrackAllianceRequest): Promise<TrackAllianceAnswer>;
    /**
     * Register or refresh an alliance.
     *
     * Fetches the alliance from the external API and stores it together with its executor corporation and CEO; its other corporations follow in the background. An alliance that is registered already is refreshed. One that the provider does not know, or that closed, is a 404.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 8 or more.
     */
    register(request: RegisterAllianceRequest): Promise<RegisterAllianceAnswer>;
    /**
     * Change the local record of an alliance.
     *
     * Sets the scopes that the alliance requires of its members. Only the local record changes, nothing in the game. In addition to the level, write authority over the alliance is needed, also for its CEO.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 4 or more, and write authority over the alliance that `alliance_id` names.
     */
    readonly update: ((request: UpdateAllianceRequest) => Promise<UpdateAllianceAnswer>) & {
      /** Answers who would gain or lose what, and changes nothing. */
      preview(request: UpdateAllianceRequest): Promise<Answer<200, Preview> | Exclude<UpdateAllianceAnswer, { readonly status: 200 }>>;
    };
    /**
     * Tell how an alliance complies.
     *
     * Person by person, with the reasons and the days. Guests are not members, and characters that the game deleted never count. As JSON or as a table with a line for each character (`Accept: text/csv`).
     *
     * Access: a permanent app token or a user token whose owner has clearance level 3 or more, and read authority over the alliance that `alliance_id` names.
     */
    compliance(request: GetAllianceComplianceRequest): Promise<GetAllianceComplianceAnswer>;
    /**
     * Tell how an alliance complied day by day.
     *
     * An entry for each day of the last two years on which compliance was counted, the latest first. As JSON or as a table with a line for each day (`Accept: text/csv`).
     *
     * Access: a permanent app token or a user token whose owner has clearance level 3 or more, and read authority over the alliance that `alliance_id` names.
     */
    complianceDays(request: ListAllianceComplianceDaysRequest): Promise<ListAllianceComplianceDaysAnswer>;
  };
  /** Applications to join a group, and what became of them. */
  readonly application: {
    /**
     * List applications.
     *
     * The caller's own applications, or those that the caller could decide, the newest first. If there are more, `X-Next` has the value of `after` for the next page.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    list(request?: ListApplicationsRequest): Promise<ListApplicationsAnswer>;
    /**
     * Decide an application.
     *
     * Final: a decided application is a 409. An approval checks again whether the applicant may join. Nobody can decide their own application, nor that of another character of the same person.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more. The caller must moderate the group, own it, or have level 9.
     */
    decide(request: DecideApplicationRequest): Promise<DecideApplicationAnswer>;
    /**
     * Withdraw an application.
     *
     * A decided application is a 409.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more. The caller must be the applicant.
     */
    withdraw(request: WithdrawApplicationRequest): Promise<WithdrawApplicationAnswer>;
  };
  /** What happened, to be looked up. */
  readonly audit: {
    /**
     * Look up who did what.
     *
     * Events, the latest first, kept for 400 days, those about users, persons and tokens for three years. As JSON, as a line of JSON for each event (`Accept: application/x-ndjson`) or as a table (`text/csv`). Everybody sees the events of which they are the actor or the target, including those of somebody using their data. Read authority also shows the events of the users whom it covers; level 9 sees all. What an event says about other people is left out. If there are more, `X-Next` has the value of `after` for the next page. Such a page may be short, and the next one empty: one answer looks at so many events only.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more. What is shown depends on the authority over those whom it concerns.
     */
    list(request?: ListAuditRequest): Promise<ListAuditAnswer>;
  };
  /** Where the sign-on provider sends the browser. */
  readonly callback: {
    /**
     * End of a sign-in at the provider.
     *
     * Called by the player's browser, sent here by the provider. On success the browser is redirected to the callback of the application with `state_code` and `user_token` added to its query. Everything else is a page that explains what went wrong, with a link back to the application: parameters missing, sign-in unknown, used or expired, or a code that the provider does not accept (400; after five such codes the sign-in is dead), sign-in cancelled, not allowed to log in (and which group or coalition refuses), or too few scopes granted (403; with character, required and provided scopes and a link that signs in again with all of them), the provider out of order (502). A refused sign-in stores nothing but an event that tells of it, and leaves the state code as it is. Parameters besides these are ignored: the provider may add some.
     *
     * Access: no token; the state code is the proof.
     */
    ext(request?: CompleteSignInRequest): Promise<CompleteSignInAnswer>;
  };
  /** Coalitions of alliances and corporations. */
  readonly coalition: {
    /**
     * List coalitions.
     *
     * All coalitions, ordered by name ignoring case, then by id.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    list(request?: CallOptions): Promise<ListCoalitionsAnswer>;
    /**
     * Get a coalition.
     *
     * A coalition with its members and what it requires of them.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    get(request: GetCoalitionRequest): Promise<GetCoalitionAnswer>;
    /**
     * Create a coalition.
     *
     * The new coalition has no members, and `authorized_to_login` is true. A name that exists already, compared in NFC ignoring case, is a 409.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 9 or more.
     */
    create(request: CreateCoalitionRequest): Promise<CreateCoalitionAnswer>;
    /**
     * Change a coalition.
     *
     * Applied in this order: additions, authorized_to_login, mandatory_ext_scopes, full lists, removals, ticker. Additions and removals may be combined; a full list cannot be combined with them. An id that is given twice counts once. Members must be registered already: an unknown id is a 404.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 6 or more, and write authority over the coalition that `coalition_id` names. Setting authorized_to_login needs level 9. Below level 8 that means: the caller's own corporation or alliance is a member of the coalition already, whatever the update changes. Every alliance or corporation that the update adds or removes needs write authority over it, too. Where authorized_to_login of the coalition, or of its autogroup, is false, adding or removing a member needs level 9. All of it is judged before the update, on what the caller may do at that moment.
     */
    readonly update: ((request: UpdateCoalitionRequest) => Promise<UpdateCoalitionAnswer>) & {
      /** Answers who would gain or lose what, and changes nothing. */
      preview(request: UpdateCoalitionRequest): Promise<Answer<200, Preview> | Exclude<UpdateCoalitionAnswer, { readonly status: 200 }>>;
    };
    /**
     * Delete a coalition.
     *
     * Its members stay registered. Users who could log in only because of this coalition no longer can.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 9 or more.
     */
    readonly delete: ((request: DeleteCoalitionRequest) => Promise<DeleteCoalitionAnswer>) & {
      /** Answers who would gain or lose what, and changes nothing. */
      preview(request: DeleteCoalitionRequest): Promise<Answer<200, Preview> | Exclude<DeleteCoalitionAnswer, { readonly status: 200 }>>;
    };
    /**
     * Track the refresh tokens of a coalition.
     *
     * Sorts the members of all its alliances and corporations by the state of their refresh tokens. A refresh token counts as valid only if its scopes cover everything that is required of its user.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 5 or more, and read authority over the coalition that `coalition_id` names. Below level 7 that means: the caller's own corporation or alliance is a member of it.
     */
    tracking(request: TrackCoalitionRequest): Promise<TrackCoalitionAnswer>;
    /**
     * Tell how a coalition complies.
     *
     * Person by person, with the reasons and the days. Guests are not members, and characters that the game deleted never count. As JSON or as a table with a line for each character (`Accept: text/csv`).
     *
     * Access: a permanent app token or a user token whose owner has clearance level 5 or more, and read authority over the coalition that `coalition_id` names. Below level 7 that means: the caller's own corporation or alliance is a member of it.
     */
    compliance(request: GetCoalitionComplianceRequest): Promise<GetCoalitionComplianceAnswer>;
    /**
     * Tell how a coalition complied day by day.
     *
     * An entry for each day of the last two years on which compliance was counted, the latest first. As JSON or as a table with a line for each day (`Accept: text/csv`).
     *
     * Access: a permanent app token or a user token whose owner has clearance level 5 or more, and read authority over the coalition that `coalition_id` names. Below level 7 that means: the caller's own corporation or alliance is a member of it.
     */
    complianceDays(request: ListCoalitionComplianceDaysRequest): Promise<ListCoalitionComplianceDaysAnswer>;
  };
  /** Corporations, what they require of their members, and their guests. */
  readonly corporation: {
    /**
     * List corporations.
     *
     * All registered corporations, ordered by name ignoring case, then by id.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    list(request?: CallOptions): Promise<ListCorporationsAnswer>;
    /**
     * Get a corporation.
     *
     * A registered corporation. One that exists in the game but was never registered here is a 404.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    get(request: GetCorporationRequest): Promise<GetCorporationAnswer>;
    /**
     * Track the refresh tokens of a corporation.
     *
     * Sorts the members by the state of their refresh tokens. A refresh token counts as valid only if its scopes cover everything that is required of its user.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 1 or more, and read authority over the corporation that `corporation_id` names.
     */
    tracking(request: TrackCorporationRequest): Promise<TrackCorporationAnswer>;
    /**
     * Register or refresh a corporation.
     *
     * Fetches the corporation from the external API and stores it together with its CEO and its alliance. A corporation that is registered already is refreshed. One that the provider does not know, that closed, or that is the game's own (id below 2,000,000) is a 404.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 8 or more.
     */
    register(request: RegisterCorporationRequest): Promise<RegisterCorporationAnswer>;
    /**
     * Change the local record of a corporation.
     *
     * Sets the scopes that the corporation requires of its members. Only the local record changes, nothing in the game. In addition to the level, write authority over the corporation is needed, also for its CEO.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 2 or more, and write authority over the corporation that `corporation_id` names.
     */
    readonly update: ((request: UpdateCorporationRequest) => Promise<UpdateCorporationAnswer>) & {
      /** Answers who would gain or lose what, and changes nothing. */
      preview(request: UpdateCorporationRequest): Promise<Answer<200, Preview> | Exclude<UpdateCorporationAnswer, { readonly status: 200 }>>;
    };
    /**
     * List the guests of a corporation.
     *
     * Ordered by name ignoring case, then by id. Guests are not in `GET /user`.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 1 or more, and read authority over the corporation that `corporation_id` names.
     */
    listGuests(request: ListGuestsRequest): Promise<ListGuestsAnswer>;
    /**
     * Create a state code for a new guest.
     *
     * The code can be used once, is valid for 24 hours and works with any dynamic app token, while the user who made it may log in, or has level 9 or 10, and has read authority over the corporation; the login asks for the scopes that the inviting corporation requires. A character that signs in with it and would not be admitted otherwise becomes a guest of the corporation at level -1, whatever level below 9 it had; levels 9 and 10 are refused. A character that would be admitted anyway signs in normally and keeps its level. A corporation has at most 100 valid codes; one more is a 409 until one of them is used or expires.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 1 or more, and read authority over the corporation that `corporation_id` names.
     */
    createGuestCode(request: CreateGuestCodeRequest): Promise<CreateGuestCodeAnswer>;
    /**
     * Delete a guest.
     *
     * Deletes the guest user with everything that belongs to it. A user who is not a guest of this corporation is a 404. One whom a group forbids to log in, or bars from another group by a policy that level 9 set, is deleted by level 9 alone.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 2 or more, and write authority over the corporation that `corporation_id` names.
     */
    readonly deleteGuest: ((request: DeleteGuestRequest) => Promise<DeleteGuestAnswer>) & {
      /** Answers who would gain or lose what, and changes nothing. */
      preview(request: DeleteGuestRequest): Promise<Answer<200, Preview> | Exclude<DeleteGuestAnswer, { readonly status: 200 }>>;
    };
    /**
     * Tell how a corporation complies.
     *
     * Person by person, with the reasons and the days. Guests are not members, and characters that the game deleted never count. As JSON or as a table with a line for each character (`Accept: text/csv`).
     *
     * Access: a permanent app token or a user token whose owner has clearance level 1 or more, and read authority over the corporation that `corporation_id` names.
     */
    compliance(request: GetCorporationComplianceRequest): Promise<GetCorporationComplianceAnswer>;
    /**
     * Tell how a corporation complied day by day.
     *
     * An entry for each day of the last two years on which compliance was counted, the latest first. As JSON or as a table with a line for each day (`Accept: text/csv`).
     *
     * Access: a permanent app token or a user token whose owner has clearance level 1 or more, and read authority over the corporation that `corporation_id` names.
     */
    complianceDays(request: ListCorporationComplianceDaysRequest): Promise<ListCorporationComplianceDaysAnswer>;
  };
  /** Reports of unforeseen errors. */
  readonly crash: {
    /**
     * List crash reports.
     *
     * The 50 newest, newest first.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 10.
     */
    list(request?: CallOptions): Promise<ListCrashReportsAnswer>;
    /**
     * Get a crash report.
     *
     * Everything that was stored about the error.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 10.
     */
    get(request: GetCrashReportRequest): Promise<GetCrashReportAnswer>;
    /**
     * Delete a crash report.
     *
     * Reports are deleted after 90 days in any case.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 10.
     */
    delete(request: DeleteCrashReportRequest): Promise<DeleteCrashReportAnswer>;
  };
  /** What happens, to be followed. */
  readonly event: {
    /**
     * Follow what happens.
     *
     * Events after a cursor, in order, each at least once: store the cursor together with the data that you derive from the events. Begin with lists and their `Castellan-Position`; without `after` the feed begins with the oldest event that it still has. It keeps events for 30 days: an older cursor is a 410, and so is one beyond the last event, as after a restored backup; then read the lists anew. A page may be empty while `more` is true: one answer looks at so many events only, and that of a busy service possibly at none.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more. By a permanent app token it needs level 7. A permanent token reads all events, a user token those that `GET /audit` shows.
     */
    list(request?: ListEventsRequest): Promise<ListEventsAnswer>;
  };
  /** Data of the game: forwarded requests. */
  readonly ext: {
    /**
     * Forward a GET request to the game.
     *
     * Only GET is ever sent to the game. What it answers below 400 is answered with 200. Where it refuses, its own status is the answer (502 for its 401), with its words as `detail`; `status_code` in the body tells its refusals from ours. 404 where no valid refresh token of the character has the scope that the path needs; 422 where `params` holds what the game does not declare for the path, or a joined answer would have more than 64 MiB or 1,000 pages; 429 for the caller of too many refused requests, or of more than four joined answers at the same time; 502 where the game cannot be reached, fails, or does not answer in JSON; 504 where it does not answer in time; 503 while its error budget is used up or it refuses us.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more. Acting on behalf of another user needs read authority over that user, unless the path asks for no scope.
     */
    forward(request: ForwardRequest): Promise<ForwardAnswer>;
    /**
     * Forward a GET request to the game (by GET).
     *
     * Only GET is ever sent to the game. What it answers below 400 is answered with 200. Where it refuses, its own status is the answer (502 for its 401), with its words as `detail`; `status_code` in the body tells its refusals from ours. 404 where no valid refresh token of the character has the scope that the path needs; 422 where `params` holds what the game does not declare for the path, or a joined answer would have more than 64 MiB or 1,000 pages; 429 for the caller of too many refused requests, or of more than four joined answers at the same time; 502 where the game cannot be reached, fails, or does not answer in JSON; 504 where it does not answer in time; 503 while its error budget is used up or it refuses us. The fields of ExternalForwardRequest come in the query, or in a JSON body, for clients that send one with GET, but not in both.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more. Acting on behalf of another user needs read authority over that user, unless the path asks for no scope.
     */
    forwardGet(request: ForwardByGetRequest): Promise<ForwardByGetAnswer>;
  };
  /** Groups of users. */
  readonly group: {
    /**
     * List groups.
     *
     * All groups, ordered by name ignoring case, then by id.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    list(request?: CallOptions): Promise<ListGroupsAnswer>;
    /**
     * List the groups that can be joined.
     *
     * Every group that can be joined or applied to and that the caller may see, each with whether the caller can, and why or why not; ordered by name ignoring case, then by id.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    joinable(request?: CallOptions): Promise<ListJoinableGroupsAnswer>;
    /**
     * Get a group.
     *
     * A group with its members.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    get(request: GetGroupRequest): Promise<GetGroupAnswer>;
    /**
     * Create a group.
     *
     * The caller becomes owner and only member. A name that exists already, compared in NFC ignoring case, is a 409.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 9 or more.
     */
    create(request: CreateGroupRequest): Promise<CreateGroupAnswer>;
    /**
     * Change a group.
     *
     * Applied in this order: add_members, authorized_to_login, description, members, owner, remove_members. Additions and removals may be combined; the full list cannot be combined with them. Afterwards the owner is a member. Users must exist already: an unknown name is a 404. Members and owner of an autogroup cannot be edited: 409.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more. Setting authorized_to_login needs level 9. The caller must own the group or have level 9.
     */
    readonly update: ((request: UpdateGroupRequest) => Promise<UpdateGroupAnswer>) & {
      /** Answers who would gain or lose what, and changes nothing. */
      preview(request: UpdateGroupRequest): Promise<Answer<200, Preview> | Exclude<UpdateGroupAnswer, { readonly status: 200 }>>;
    };
    /**
     * Delete a group.
     *
     * An autogroup cannot be deleted: 409.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 9 or more.
     */
    readonly delete: ((request: DeleteGroupRequest) => Promise<DeleteGroupAnswer>) & {
      /** Answers who would gain or lose what, and changes nothing. */
      preview(request: DeleteGroupRequest): Promise<Answer<200, Preview> | Exclude<DeleteGroupAnswer, { readonly status: 200 }>>;
    };
    /**
     * Get the policy of a group.
     *
     * Who may join, who decides, who must leave. A group without a policy is closed, and so is one whose policy is not in force: where authorized_to_login of the group is set, until level 9 has set the policy. Where the caller may not see it, it is a 404.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    policy(request: GetGroupPolicyRequest): Promise<GetGroupPolicyAnswer>;
    /**
     * Set the policy of a group.
     *
     * Members who are no longer eligible, except the owner, are removed after the grace period; pending applications of ineligible users end. What is left out stays as it is shown: a policy that is not in force stays closed. Autogroups have no policy: 409. Organizations, groups and users in the policy must exist: 404.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more. The caller must own the group or have level 9; level 9 alone where authorized_to_login of the group is set, or the policy reaches persons, before or after.
     */
    readonly setPolicy: ((request: SetGroupPolicyRequest) => Promise<SetGroupPolicyAnswer>) & {
      /** Answers who would gain or lose what, and changes nothing. */
      preview(request: SetGroupPolicyRequest): Promise<Answer<200, Preview> | Exclude<SetGroupPolicyAnswer, { readonly status: 200 }>>;
    };
    /**
     * Join a group, or apply to it.
     *
     * Where joining is open, the caller is a member at once, and the application approved. A 409 says why not: joining is closed (as far as the caller may see the policy), the caller is not eligible, a member already, has a pending application, or was rejected recently. One user may have 200 pending applications, and make 500 within 24 hours, joining open groups included: more are a 409.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    apply(request: ApplyToGroupRequest): Promise<ApplyToGroupAnswer>;
    /**
     * List the applications to a group.
     *
     * The newest first. If there are more, `X-Next` has the value of `after` for the next page.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more. The caller must moderate the group, own it, or have level 9.
     */
    applications(request: ListGroupApplicationsRequest): Promise<ListGroupApplicationsAnswer>;
    /**
     * Leave a group.
     *
     * The owner cannot leave, nor can members of an autogroup, nor of a group that the policy of another one names in groups_none, if level 9 set that policy or both groups have one owner: 409. If the caller is not a member: 404.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    leave(request: LeaveGroupRequest): Promise<LeaveGroupAnswer>;
  };
  /** What was collected of each character from hour to hour. */
  readonly history: {
    /**
     * List the locations of a character.
     *
     * Newest first, 50 on a page; `X-Pages` counts the pages. A page beyond the last is a 422; an empty history has one empty page.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more, and read authority over the user that `character_id` names.
     */
    locations(request: ListLocationsRequest): Promise<ListLocationsAnswer>;
    /**
     * List the mails of a character.
     *
     * Headers of the mails sent and received. Newest first, 50 on a page; `X-Pages` counts the pages. A page beyond the last is a 422; an empty history has one empty page.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more, and read authority over the user that `character_id` names.
     */
    mails(request: ListMailsRequest): Promise<ListMailsAnswer>;
    /**
     * Get a mail of a character.
     *
     * A mail with its text. One that this character's mailbox does not hold is a 404. A text that no job came to yet is asked of the game now, with the refresh token of the character: 404 where none is valid.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more, and read authority over the user that `character_id` names.
     */
    mail(request: GetMailRequest): Promise<GetMailAnswer>;
    /**
     * List the skill points of a character.
     *
     * Newest first, 50 on a page; `X-Pages` counts the pages. A page beyond the last is a 422; an empty history has one empty page.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more, and read authority over the user that `character_id` names.
     */
    skillPoints(request: ListSkillPointsRequest): Promise<ListSkillPointsAnswer>;
    /**
     * List the wallet balances of a character.
     *
     * Newest first, 50 on a page; `X-Pages` counts the pages. A page beyond the last is a 422; an empty history has one empty page.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more, and read authority over the user that `character_id` names.
     */
    wallet(request: ListWalletBalancesRequest): Promise<ListWalletBalancesAnswer>;
    /**
     * Fetch and store the present location of a character.
     *
     * Asks the game with the refresh token of the character and adds the answer to the location history; after a hundred entries in an hour, one that an entry of the last five seconds has already is answered with that entry. 404 where no valid refresh token has the scopes that it needs.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more, and read authority over the user that `character_id` names.
     */
    storeLocation(request: StoreLocationRequest): Promise<StoreLocationAnswer>;
  };
  /** Persons: characters of one human, without any authority of their own. */
  readonly person: {
    /**
     * Get the person of the calling token.
     *
     * The person of the token's owner with all its characters: one's own are never hidden. Who never linked anything is a person of one.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    current(request?: CallOptions): Promise<GetCurrentPersonAnswer>;
    /**
     * Link another character.
     *
     * Moves the character of `user_token` to the person of the calling token, and no other one. The token has to come from a sign-in of the last 10 minutes through the application that the calling token came from; it proves once. The main of a person with more characters is a 409. Levels, groups and what tokens may do stay with each character: a person adds no authority.
     *
     * Access: a user token whose owner has clearance level 0 or more. The owner of `user_token` needs level 0, too, and the built-in user is nobody’s character.
     */
    link(request: LinkCharacterRequest): Promise<LinkCharacterAnswer>;
    /**
     * Unlink a character.
     *
     * The character is a person of its own afterwards. The main of a person with more characters is a 409: another one has to be the main before.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    unlink(request: UnlinkCharacterRequest): Promise<UnlinkCharacterAnswer>;
    /**
     * Choose the main character.
     *
     * A character that does not belong to the person is a 404. A person can choose another main 10 times in an hour; one more is a 429.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    update(request: UpdateCurrentPersonRequest): Promise<UpdateCurrentPersonAnswer>;
    /**
     * Merge another person into this one.
     *
     * The main of this person stays. A dry run answers what would change, without changing it.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 9 or more.
     */
    merge(request: MergePersonsRequest): Promise<MergePersonsAnswer>;
    /**
     * Split characters off a person.
     *
     * The characters become a person of their own, together. A main that goes is followed by the character that has been proven longest. All of the characters are a 422, one of another person is a 404. A dry run answers what would be, and changes nothing.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 9 or more.
     */
    split(request: SplitPersonRequest): Promise<SplitPersonAnswer>;
    /**
     * List what happened to a person.
     *
     * The last 1000 times that a character came or went, newest first. Kept for three years, whatever became of the person. A person that never was is a 404.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 9 or more.
     */
    history(request: ListPersonHistoryRequest): Promise<ListPersonHistoryAnswer>;
  };
  /** Applications that let people sign in by OpenID Connect. */
  readonly oidc: {
    /**
     * List OpenID Connect clients.
     *
     * The applications that let people sign in here, ordered by name ignoring case, then by id.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 10.
     */
    listClients(request?: CallOptions): Promise<ListOidcClientsAnswer>;
    /**
     * Get an OpenID Connect client.
     *
     * One of these applications; its secret is stored as a hash, and shown by no operation.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 10.
     */
    getClient(request: GetOidcClientRequest): Promise<GetOidcClientAnswer>;
    /**
     * Register an OpenID Connect client.
     *
     * Lets an application sign people in with the authorization code flow and PKCE. The issuer is the base URL of the service: everything else the application reads from `/.well-known/openid-configuration`.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 10.
     */
    createClient(request: CreateOidcClientRequest): Promise<CreateOidcClientAnswer>;
    /**
     * Change an OpenID Connect client.
     *
     * Changes count at once: a user who is no longer in any allowed group loses codes and tokens of the application, which is notified by back-channel logout.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 10.
     */
    updateClient(request: UpdateOidcClientRequest): Promise<UpdateOidcClientAnswer>;
    /**
     * Delete an OpenID Connect client.
     *
     * With its grants, codes and tokens; people stay signed in at other applications.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 10.
     */
    deleteClient(request: DeleteOidcClientRequest): Promise<DeleteOidcClientAnswer>;
    /**
     * Renew the secret of an OpenID Connect client.
     *
     * The former secret is invalid at once. A public application has no secret: 409.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 10.
     */
    renewSecret(request: RenewOidcClientSecretRequest): Promise<RenewOidcClientSecretAnswer>;
  };
  /** Configuration and scheduled jobs. */
  readonly system: {
    /**
     * Get the state of the instance.
     *
     * An overview for administrators: whether anything is wrong with database, jobs, sync or the game, and what to do.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 9 or more.
     */
    status(request?: CallOptions): Promise<GetSystemStatusAnswer>;
    /**
     * Get the configuration.
     *
     * The active configuration as nested JSON, secrets redacted.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 10.
     */
    configuration(request?: CallOptions): Promise<GetConfigurationAnswer>;
    /**
     * List the scheduled jobs.
     *
     * All scheduled background jobs, ordered by name.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 10.
     */
    jobs(request?: CallOptions): Promise<ListJobsAnswer>;
    /**
     * List the changes that are held back.
     *
     * What runs of jobs would take away from so many users at once that they changed nothing, by the name of the job. What a run saw while the game failed is not among them. They are let through when they were found often enough, or by level 10: `POST /system/job/{job_id}?approve={held_id}`.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 9 or more.
     */
    held(request?: CallOptions): Promise<ListHeldChangesAnswer>;
    /**
     * Run a job now.
     *
     * Puts a run into the queue and answers without waiting for its end. It checks every grant and refreshes organizations, due by the schedule or not: the 500 alliances and 2,000 corporations that were refreshed longest ago. A run that would take something away from suspiciously many users changes nothing, unless it is forced, or exactly that was approved: what is not held back any more is a 404. A dry run answers what would change for anybody, and changes nothing; while the game or the voice server fails, it is an error. Jobs that only collect, count or delete what has expired change nothing for anybody. It is a 422 for `check-grants`, as only refreshing a token tells whether it is valid.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 10.
     */
    runJob(request: RunJobRequest): Promise<RunJobAnswer>;
  };
  /** Tokens and sign-in. */
  readonly token: {
    /**
     * Get the calling token.
     *
     * Who is calling, and what they may do at this moment. Applications that verify user tokens by signature ask this before anything privileged: a valid signature does not mean that the token still exists.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    current(request?: CallOptions): Promise<GetCurrentTokenAnswer>;
    /**
     * Delete a token.
     *
     * Deletes a token of any type together with all that descend from it and the sign-ins that they started. It counts at once, in every process of the service.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 10.
     */
    delete(request: DeleteTokenRequest): Promise<DeleteTokenAnswer>;
    /**
     * Create a dynamic app token.
     *
     * For an application that signs its users in: it starts sign-ins and can do nothing else. The new token has the caller's owner as owner and the calling token as parent.
     *
     * Access: a permanent app token whose owner has clearance level 10. The level is judged before the type of the token.
     */
    createDynamic(request: CreateDynamicTokenRequest): Promise<CreateDynamicTokenAnswer>;
    /**
     * Create a permanent app token.
     *
     * For an application that acts on its own: it can do whatever its owner can. The new token has the caller's owner as owner and the calling token as parent.
     *
     * Access: a permanent app token whose owner has clearance level 10. The level is judged before the type of the token.
     */
    createPermanent(request: CreatePermanentTokenRequest): Promise<CreatePermanentTokenAnswer>;
    /**
     * Start the sign-in of a user.
     *
     * Answers where to send the player. Once signed in, the browser is redirected to the app token's callback with `state_code` and `user_token` in the query, and the service calls the same URL itself with the header `Castellan-Event: sign-in`; an application must never open a browser session on that call alone. The user token lasts 24 hours. A `state_code` that this service did not make, or that belongs to another token, is a 404. For an invitation the login asks for the scopes of the inviting corporation besides.
     *
     * Access: a dynamic app token whose owner has clearance level 0 or more.
     */
    startLogin(request?: StartLoginRequest): Promise<StartLoginAnswer>;
    /**
     * Get a user token from a permanent app token.
     *
     * The token acts as the built-in user, never above the present level of the app token's owner, lasts 48 hours, and is deleted together with that owner or the app token.
     *
     * Access: a permanent app token whose owner has clearance level 0 or more.
     */
    createUserToken(request?: CallOptions): Promise<CreateUserTokenAnswer>;
    /**
     * Log out.
     *
     * Deletes the calling token together with all that descend from it. Guests may log out, too. Called with a permanent app token, it ends that application.
     *
     * Access: a permanent app token or a user token whose owner may have any clearance level, guests included.
     */
    logout(request?: CallOptions): Promise<LogoutAnswer>;
  };
  /** Game characters and their clearance. */
  readonly user: {
    /**
     * List users.
     *
     * All users, ordered by name ignoring case, then by id. Guests are left out; the built-in user is listed as `(built-in)`. With any parameter the answer is a page. If there are more, `X-Next` has the value of `after` for the next page.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    list(request?: ListUsersRequest): Promise<ListUsersAnswer>;
    /**
     * Get a user by name or id.
     *
     * The name is compared exactly. If two users have the same name, it is the one seen last. A decimal number that is nobody's name is taken as an id. Clearance levels are public information.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    get(request: GetUserRequest): Promise<GetUserAnswer>;
    /**
     * List the groups of a user.
     *
     * Every group that the user is a member of, autogroups too, ordered by name ignoring case, then by id.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more.
     */
    groups(request: ListUserGroupsRequest): Promise<ListUserGroupsAnswer>;
    /**
     * Ask why.
     *
     * Whether the user may log in, is admitted as a member, is tracked as valid, is a member of a group, may read or change another user: the answer, a sentence that says why, the facts it is based on, and what would turn a no into a yes. It is computed by the same code that decides, so it cannot differ from what the service does.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more. The caller must be the user or have read authority over the user.
     */
    why(request: AskWhyRequest): Promise<AskWhyAnswer>;
    /**
     * Set the clearance level of a user.
     *
     * Without a level in the body nothing changes. Levels follow office and membership: a change of corporation, also from or to none, resets them, levels 9 and 10 excepted.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more. Setting a level needs at least the new level, at least the user's present one, and write authority over the user; lowering also needs level 9. Nobody can set their own level, a guest's or the built-in user's.
     */
    readonly update: ((request: UpdateUserRequest) => Promise<UpdateUserAnswer>) & {
      /** Answers who would gain or lose what, and changes nothing. */
      preview(request: UpdateUserRequest): Promise<Answer<200, Preview> | Exclude<UpdateUserAnswer, { readonly status: 200 }>>;
    };
    /**
     * Delete a user.
     *
     * Removes the user with its tokens and all that descend from them, its refresh tokens (revoked at the provider), histories, memberships and voice identity. Groups it owned are left without an owner. This is not a ban: signing in, or the sync, registers the character again at level 0.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 9 or more. The user's own level must not be above the caller's. Nobody deletes the built-in user.
     */
    readonly delete: ((request: DeleteUserRequest) => Promise<DeleteUserAnswer>) & {
      /** Answers who would gain or lose what, and changes nothing. */
      preview(request: DeleteUserRequest): Promise<Answer<200, Preview> | Exclude<DeleteUserAnswer, { readonly status: 200 }>>;
    };
    /**
     * Get the person of a user.
     *
     * The person that a character belongs to. Characters beyond the read authority of the caller are counted only; those of one’s own person never are.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more. Read authority over the character, or a token of the same person.
     */
    person(request: GetPersonOfUserRequest): Promise<GetPersonOfUserAnswer>;
  };
  /** Proving who is behind a client of the voice server. */
  readonly voice: {
    /**
     * Start a voice challenge.
     *
     * Answers a random nickname. Take it on the voice server within one minute, then complete the challenge. A new challenge replaces the one before. Where no voice server is configured: 404.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more. A user token that was made from the permanent token of somebody else (D23) is refused.
     */
    start(request?: CallOptions): Promise<StartVoiceChallengeAnswer>;
    /**
     * Complete a voice challenge.
     *
     * Finds the client with the nickname and binds its voice identity to the caller, who becomes a member of the voice autogroup. An identity belongs to the last user who proved it: a former user loses it. 404 `Could not find challenge for user` without a valid challenge; 404 `Could not find corresponding teamspeak client` if no client has the nickname, or more than one does; 404 where no voice server is configured; 502 where it cannot be reached or understood. The nickname is the proof: tell it nobody.
     *
     * Access: a permanent app token or a user token whose owner has clearance level 0 or more. A user token that was made from the permanent token of somebody else (D23) is refused.
     */
    complete(request?: CallOptions): Promise<CompleteVoiceChallengeAnswer>;
  };
  /** What happens, sent to where it is wanted. */
  readonly webhook: {
    /**
     * List webhooks.
     *
     * Oldest first: those that the caller reaches.
     *
     * Access: a dynamic app token or a permanent app token or a user token whose owner has clearance level 0 or more. By a user token it needs level 10. A permanent token whose owner has level 10, and such a user token, reach all webhooks; every other application its own alone, and another one’s is a 404.
     */
    list(request?: CallOptions): Promise<ListWebhooksAnswer>;
    /**
     * Get a webhook.
     *
     * With its state: waiting deliveries, and why it was disabled.
     *
     * Access: a dynamic app token or a permanent app token or a user token whose owner has clearance level 0 or more. By a user token it needs level 10. A permanent token whose owner has level 10, and such a user token, reach all webhooks; every other application its own alone, and another one’s is a 404.
     */
    get(request: GetWebhookRequest): Promise<GetWebhookAnswer>;
    /**
     * Create a webhook.
     *
     * From now on events of these types are posted to the URL: at least once each, signed with the secret that this answer holds. Made with an app token it belongs to that application and goes with it; made with a user token it belongs to the user, and delivers as long as that one has level 10. A permanent token is sent all events from level 7 of its owner on, below it what `GET /audit` would show, a dynamic one what happens by itself and by the user tokens that it led to. An application can have 20, a user 100. In production the URL must lead to public addresses.
     *
     * Access: a dynamic app token or a permanent app token or a user token whose owner has clearance level 0 or more. By a user token it needs level 10. A permanent token whose owner has level 10, and such a user token, reach all webhooks; every other application its own alone, and another one’s is a 404.
     */
    create(request: CreateWebhookRequest): Promise<CreateWebhookAnswer>;
    /**
     * Change a webhook.
     *
     * Changes what the body holds. A disabled webhook is enabled again by `enabled: true`. A webhook can have 30 turns in a minute, all webhooks of one owner 100: a test, a retry, a new URL and enabling it again take one, a replay takes 5.
     *
     * Access: a dynamic app token or a permanent app token or a user token whose owner has clearance level 0 or more. By a user token it needs level 10. A permanent token whose owner has level 10, and such a user token, reach all webhooks; every other application its own alone, and another one’s is a 404.
     */
    update(request: UpdateWebhookRequest): Promise<UpdateWebhookAnswer>;
    /**
     * Delete a webhook.
     *
     * It ends with its deliveries; one that is under way may still arrive.
     *
     * Access: a dynamic app token or a permanent app token or a user token whose owner has clearance level 0 or more. By a user token it needs level 10. A permanent token whose owner has level 10, and such a user token, reach all webhooks; every other application its own alone, and another one’s is a 404.
     */
    delete(request: DeleteWebhookRequest): Promise<DeleteWebhookAnswer>;
    /**
     * Give a webhook a new secret.
     *
     * For 24 hours deliveries carry two signatures, by the new secret and by the former one. A second rotation ends the former one at once.
     *
     * Access: a dynamic app token or a permanent app token or a user token whose owner has clearance level 0 or more. By a user token it needs level 10. A permanent token whose owner has level 10, and such a user token, reach all webhooks; every other application its own alone, and another one’s is a 404.
     */
    rotate(request: RotateWebhookSecretRequest): Promise<RotateWebhookSecretAnswer>;
    /**
     * Send a test.
     *
     * Sends a delivery of the type `webhook.test`, once, whether or not the webhook is enabled; its delivery shows how it went. A webhook can have 30 turns in a minute, all webhooks of one owner 100: a test, a retry, a new URL and enabling it again take one, a replay takes 5.
     *
     * Access: a dynamic app token or a permanent app token or a user token whose owner has clearance level 0 or more. By a user token it needs level 10. A permanent token whose owner has level 10, and such a user token, reach all webhooks; every other application its own alone, and another one’s is a 404.
     */
    test(request: TestWebhookRequest): Promise<TestWebhookAnswer>;
    /**
     * List deliveries.
     *
     * The latest event first. If there are more, `X-Next` has the value of `after` for the next page.
     *
     * Access: a dynamic app token or a permanent app token or a user token whose owner has clearance level 0 or more. By a user token it needs level 10. A permanent token whose owner has level 10, and such a user token, reach all webhooks; every other application its own alone, and another one’s is a 404.
     */
    listDeliveries(request: ListWebhookDeliveriesRequest): Promise<ListWebhookDeliveriesAnswer>;
    /**
     * Try a delivery again.
     *
     * At once, whatever its state, and whatever pause the receiver asked for; from there on as if it were new. A webhook can have 30 turns in a minute, all webhooks of one owner 100: a test, a retry, a new URL and enabling it again take one, a replay takes 5.
     *
     * Access: a dynamic app token or a permanent app token or a user token whose owner has clearance level 0 or more. By a user token it needs level 10. A permanent token whose owner has level 10, and such a user token, reach all webhooks; every other application its own alone, and another one’s is a 404.
     */
    retry(request: RetryWebhookDeliveryRequest): Promise<RetryWebhookDeliveryAnswer>;
    /**
     * Deliver again from a position on.
     *
     * For a receiver that lost data: delivers every event after the position again, including those delivered before, once the pause is over that the receiver asked for, if any. It can go back 30 days; a position before that, or beyond the last event, is a 410. A webhook can have 30 turns in a minute, all webhooks of one owner 100: a test, a retry, a new URL and enabling it again take one, a replay takes 5.
     *
     * Access: a dynamic app token or a permanent app token or a user token whose owner has clearance level 0 or more. By a user token it needs level 10. A permanent token whose owner has level 10, and such a user token, reach all webhooks; every other application its own alone, and another one’s is a 404.
     */
    replay(request: ReplayWebhookRequest): Promise<ReplayWebhookAnswer>;
  };
}
