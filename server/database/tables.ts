import type { Generated, GeneratedAlways } from 'kysely';
import type { TokenKind } from '../../contract/access.ts';
import type { ExtScope } from '../../contract/scopes.ts';
import type {
  EventSealTable,
  EventTable,
  UnsealedEventTable,
  WebhookDeliveryTable,
  WebhookTable,
} from './event-tables.ts';

/** Ids of the game: integers up to 2^53−1, read as numbers (see connection.ts). */
type GameId = number;
/** 24 hexadecimal digits. */
type ObjectId = string;

interface Dated {
  created_on: Generated<Date>;
  updated_on: Generated<Date>;
}

interface AllianceTable extends Dated {
  alliance_id: GameId;
  alliance_name: string;
  name_key: string;
  ticker: string;
  executor_corporation_id: GameId;
  mandatory_ext_scopes: Generated<ExtScope[]>;
  refreshed_on: Generated<Date>;
  revision: Generated<number>;
}

interface CorporationTable extends Dated {
  corporation_id: GameId;
  corporation_name: string;
  name_key: string;
  ticker: string;
  alliance_id: GameId | null;
  ceo_id: GameId;
  ceo_name: string;
  mandatory_ext_scopes: Generated<ExtScope[]>;
  refreshed_on: Generated<Date>;
  revision: Generated<number>;
}

interface UserTable extends Dated {
  character_id: GameId;
  character_name: string;
  name_key: string;
  clearance_level: Generated<number>;
  corporation_id: GameId | null;
  owner_hash: string | null;
  seen_on: Generated<Date>;
  signed_in_on: Date | null;
  graveyard_on: Generated<Date | null>;
  refused_on: Generated<Date | null>;
  proven_on: Generated<Date | null>;
}

export interface CoalitionTable extends Dated {
  coalition_id: ObjectId;
  coalition_name: string;
  name_key: string;
  ticker: string;
  authorized_to_login: boolean | null;
  mandatory_ext_scopes: Generated<ExtScope[]>;
}

export interface GroupTable extends Dated {
  group_id: ObjectId;
  group_name: string;
  name_key: string;
  description: Generated<string>;
  authorized_to_login: boolean | null;
  owner_id: GameId | null;
  corporation_id: GameId | null;
  alliance_id: GameId | null;
  coalition_id: ObjectId | null;
  is_voice: Generated<boolean>;
  is_autogroup: GeneratedAlways<boolean>;
}

interface GroupMemberTable {
  group_id: ObjectId;
  character_id: GameId;
  ineligible_since: Generated<Date | null>;
  was_eligible: Generated<boolean>;
}

interface GroupPolicyTable {
  group_id: ObjectId;
  joining: 'closed' | 'application' | 'open';
  visible_to: 'everyone' | 'eligible' | 'members';
  reach: string;
  alliances: GameId[];
  corporations: GameId[];
  coalitions: ObjectId[];
  groups_any: ObjectId[];
  groups_none: ObjectId[];
  min_level: number;
  moderator_groups: ObjectId[];
  grace_hours: number;
  reapply_hours: number;
  questions: string[];
  expire_days: number;
  by_administrator: boolean;
  updated_on: Date;
}

interface ApplicationTable {
  application_id: ObjectId;
  sequence: Generated<number>;
  group_id: ObjectId;
  group_name: string | null;
  character_id: GameId;
  state: Generated<'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired' | 'void'>;
  message: string;
  questions: string[] | null;
  answers: string[];
  created_on: Date;
  expires_on: Date;
  decided_on: Date | null;
  decided_by: Generated<GameId | null>;
  decided_by_name: Generated<string | null>;
  reason: Generated<string | null>;
  note: Generated<string | null>;
}

export interface TokenTable {
  uuid: string;
  token_type: TokenKind;
  owner_id: GameId;
  parent: string | null;
  app_token: string;
  kid: string;
  callback: string | null;
  comments: string | null;
  created_on: Generated<Date>;
  expires_on: Date | null;
}

export interface StateCodeTable {
  state_code: string;
  app_token: string | null;
  corporation_id: GameId | null;
  invited_by: GameId | null;
  code_verifier: string;
  created_on: Generated<Date>;
  expires_on: Date;
  used_on: Date | null;
  tries: Generated<number>;
  interaction_hash: string | null;
  signed_in_id: GameId | null;
}

/** A relying party of OpenID Connect. */
export interface OidcClientTable extends Dated {
  client_id: ObjectId;
  client_name: string;
  name_key: string;
  secret_hash: string | null;
  redirect_uris: string[];
  post_logout_redirect_uris: string[];
  backchannel_logout_uri: string | null;
  id_token_alg: 'RS256' | 'EdDSA' | null;
  first_party: boolean;
  restricted: boolean;
  last_used_on: Date | null;
}

/** Records of the OpenID Connect library; their payload is opaque to us. */
interface OidcArtifactTable {
  model: string;
  id_hash: string;
  payload: unknown;
  grant_hash: string | null;
  session_uid: string | null;
  character_id: GameId | null;
  client_id: ObjectId | null;
  expires_on: Date;
  consumed_on: Date | null;
}

interface OidcConsentTable {
  character_id: GameId;
  client_id: ObjectId;
  scopes: string[];
  given_on: Date;
}

interface GrantTable extends Dated {
  grant_id: string;
  character_id: GameId;
  scopes: ExtScope[];
  refresh_token: Buffer;
  access_token: Buffer | null;
  access_expires_on: Date | null;
  valid: Generated<boolean>;
  cause: string | null;
  heard_owner: Generated<string | null>;
  refresh_started_on: Generated<Date | null>;
  next_check_on: Generated<Date>;
}

export interface CrashReportTable {
  id: ObjectId;
  version: Generated<number>;
  request: unknown;
  timestamp: Generated<Date>;
  token: unknown;
  trace: string;
}

interface NameTable {
  id: GameId;
  name: string | null;
  category: string | null;
  known_on: Date;
}

interface CharacterLocationTable {
  character_id: GameId;
  timestamp: Date;
  online: boolean;
  ship_name: string;
  ship_type_id: GameId;
  ship_type_name: string;
  solar_system_id: GameId;
  solar_system_name: string;
  station_id: GameId | null;
  station_name: string | null;
  structure_id: GameId | null;
  structure_name: string | null;
}

interface CharacterSkillPointsTable {
  character_id: GameId;
  timestamp: Date;
  total_sp: number;
  unallocated_sp: number;
}

interface CharacterWalletTable {
  character_id: GameId;
  timestamp: Date;
  balance: number;
}

export interface MailTable {
  mail_id: GameId;
  from_id: GameId;
  from_name: string;
  recipients: unknown;
  subject: string;
  timestamp: Date;
  body: string | null;
}

export interface HistoryTurnTable {
  character_id: GameId;
  history: 'location' | 'mail' | 'skillpoints' | 'wallet';
  due_on: Date;
  failures: Generated<number>;
}

interface MailboxMailTable {
  character_id: GameId;
  mail_id: GameId;
  position: number;
  wants_body: boolean;
}

interface ScheduleTable {
  job_id: string;
  /** When its last run began; where none did yet, when it was added. */
  ran_on: Date;
  /** Whether a run ever began. */
  has_run: Generated<boolean>;
  /** When its schedule last enqueued a run, by the database's clock. */
  enqueued_on: Generated<Date>;
  /** Start of the last run that visited all users. */
  complete_on: Date | null;
}

/** Changes of a run that the mass-change guard held back (D63). */
interface HeldChangesTable {
  job_id: string;
  fingerprint: string;
  runs: number;
  counted_on: Date;
  found: Generated<unknown>;
}

interface VoiceChallengeTable {
  character_id: GameId;
  nickname: string;
  expires_on: Date;
}

interface VoiceIdentityTable {
  client_database_id: number;
  /** Null after the user was deleted. */
  character_id: GameId | null;
  told_on: Date | null;
}

export interface ServiceTable {
  one: Generated<boolean>;
  process: string;
  base_url: string;
  key_ids: string[];
  started_on: Date;
}

/** The definitions of database functions that were applied last. */
interface RepeatableTable {
  name: string;
  hash: string;
  revision: number;
  applied_on: Date;
}

interface PersonTable {
  person_id: ObjectId;
  main_id: GameId;
  created_on: Date;
}

interface PersonHistoryTable {
  position: GeneratedAlways<number>;
  occurred_on: Date;
  happened: 'linked' | 'unlinked' | 'owner_changed' | 'deleted' | 'merged' | 'split';
  character_id: GameId;
  character_name: string;
  from_person: ObjectId | null;
  to_person: ObjectId | null;
  by_id: GameId | null;
  reason: string | null;
  proof: string | null;
}

export interface Database {
  alliances: AllianceTable;
  corporations: CorporationTable;
  users: UserTable;
  coalitions: CoalitionTable;
  coalition_alliances: { coalition_id: ObjectId; alliance_id: GameId };
  coalition_corporations: { coalition_id: ObjectId; corporation_id: GameId };
  coalition_reach: { corporation_id: GameId; coalition_id: ObjectId };
  groups: GroupTable;
  group_members: GroupMemberTable;
  group_policies: GroupPolicyTable;
  group_moderators: { group_id: ObjectId; character_id: GameId };
  applications: ApplicationTable;
  tokens: TokenTable;
  state_codes: StateCodeTable;
  grants: GrantTable;
  crash_reports: CrashReportTable;
  names: NameTable;
  character_locations: CharacterLocationTable;
  character_skill_points: CharacterSkillPointsTable;
  character_wallets: CharacterWalletTable;
  mails: MailTable;
  mailboxes: { character_id: GameId; complete: Generated<boolean> };
  mailbox_mails: MailboxMailTable;
  history_turns: HistoryTurnTable;
  schedules: ScheduleTable;
  held_changes: HeldChangesTable;
  /** Where runs continue that stopped early. */
  run_cursors: { job_id: string; after_key: string; after_id: GameId };
  compliance_failures: { character_id: GameId; since: Date };
  joined_answers: { caller: string; place: number; holder: string; until: Date };
  /** One row; `asked_on` is when a process last set out to fetch it again. */
  provider_document: { one: Generated<boolean>; operations: unknown; fetched_on: Date; asked_on: Date };
  voice_challenges: VoiceChallengeTable;
  voice_identities: VoiceIdentityTable;
  service: ServiceTable;
  repeatable: RepeatableTable;
  persons: PersonTable;
  person_characters: { character_id: GameId; person_id: ObjectId };
  person_history: PersonHistoryTable;
  oidc_clients: OidcClientTable;
  oidc_client_groups: { client_id: ObjectId; group_id: ObjectId };
  oidc_artifacts: OidcArtifactTable;
  oidc_endings: { character_id: GameId; ended_on: Date };
  oidc_consents: OidcConsentTable;
  events: EventTable;
  event_contexts: { event_id: string; context: string };
  event_subjects: { key: string; event_id: string };
  event_seals: EventSealTable;
  unsealed_events: UnsealedEventTable;
  webhooks: WebhookTable;
  webhook_deliveries: WebhookDeliveryTable;
  voice_groups: { group_id: ObjectId; sgid: number };
}
