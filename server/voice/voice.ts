import { randomInt } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { VoiceChallenge } from '../../contract/voice.ts';
import { answersFor } from '../access/account.ts';
import { type Admission, readmitOver } from '../access/admission.ts';
import type { Caller } from '../access/caller.queries.ts';
import { isBuiltIn } from '../access/clearance-levels.ts';
import { inLineOfCaller } from '../access/lines.ts';
import type { Database } from '../database/tables.ts';
import { inTransaction, Overtaken } from '../database/transaction.ts';
import type { Services } from '../services/services.ts';
import { endUnwelcome } from '../session/end-sessions.ts';
import { DomainError, forbidden, revoked } from '../shared/domain-error.ts';
import { sharedLookup } from '../shared/shared-lookup.ts';
import { followStandings, LOGIN_AND_VOICE } from '../standing/standing-events.ts';
import { parseVoiceUrl, type VoiceAddress } from '../voice-server/address.ts';
import type { VoiceLimits } from '../voice-server/connection.ts';
import { type VoiceClient, withVoiceServer } from '../voice-server/voice-server.ts';
import {
  bindIdentity,
  consumeChallenge,
  ensureVoiceGroup,
  enterGroup,
  findChallenge,
  findHolder,
  leaveGroup,
  lockUser,
  replaceChallenge,
} from './voice.queries.ts';
import { recordBound } from './voice-events.ts';

/** Lifetime of a challenge in milliseconds (D40). */
const CHALLENGE_FOR = 120_000;
const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const NICKNAME_LENGTH = 20;

/** A request may have to wait for one look-up that began earlier and then for its own: together below 10 s (D42). */
const LIMITS: VoiceLimits = { connect: 2_500, command: 3_000, total: 4_000 };

/** Reads the connected clients, over one connection at a time. */
export type ClientLookup = (() => Promise<VoiceClient[]>) | undefined;

/** Undefined when no voice server is configured. */
export function createClientLookup(
  { settings }: Pick<Services, 'settings'>,
  limits: VoiceLimits = LIMITS,
): ClientLookup {
  const { url } = settings.voice;
  if (url === undefined) return undefined;
  const address: VoiceAddress = parseVoiceUrl(url);
  return sharedLookup(() => withVoiceServer(address, { limits }, (server) => server.clients()));
}

/** Starts a challenge, in place of a former one (D40). */
export async function startChallenge(
  { db, clock, settings }: Pick<Services, 'db' | 'clock' | 'settings'>,
  caller: Caller,
): Promise<VoiceChallenge> {
  if (settings.voice.url === undefined) throw notConfigured();
  requireOwner(caller);
  const expires_on = new Date(clock.now().getTime() + CHALLENGE_FOR);
  const nickname = randomNickname();
  return inTransaction(db, async (tx) => {
    const user = await lockUser(tx, caller.owner_id);
    if (user === undefined) throw revoked();
    await replaceChallenge(tx, { character_id: user.character_id, nickname, expires_on });
    return { expiration_datetime: expires_on.toISOString(), challenge_nickname: nickname, user };
  });
}

/**
 * Binds the voice identity whose nickname is the challenge's to the caller (D41). An identity belongs to the last user
 * who proved it: another user loses it in the same transaction. No database connection is held while waiting for the
 * voice server.
 *
 * @throws VoiceError when the voice server fails
 */
export async function completeChallenge(
  services: Pick<Services, 'db' | 'lines' | 'clock' | 'log' | 'settings' | 'queue'>,
  look: ClientLookup,
  admission: Admission,
): Promise<void> {
  const { db, lines, clock, log, settings } = services;
  const { caller } = admission;
  if (look === undefined) throw notConfigured();
  requireOwner(caller);
  const nickname = await findChallenge(db, caller.owner_id, clock.now());
  if (nickname === undefined) throw noChallenge();
  const client = theOne(await look(), nickname);
  if (client === undefined) throw noClient();
  const bind = async (tx: Transaction<Database>) => {
    const now = clock.now();
    const holder = await findHolder(tx, client.clientDatabaseId);
    // The voice server may have taken its time. The holder is locked, too: whoever deletes, moves or hands it over
    // compares what it was before and after, and must not tell of what it loses here.
    const { locked } = await readmitOver(tx, admission, holder === undefined ? [] : [holder]);
    if (!(await consumeChallenge(tx, caller.owner_id, nickname))) throw noChallenge();
    const group = await ensureVoiceGroup(tx, settings.voice.authGroup, now);
    const released = await bindIdentity(tx, caller.owner_id, client.clientDatabaseId);
    const leaves = released.map(({ character_id }) => character_id).find((id) => id !== caller.owner_id);
    if (leaves !== undefined && !isBuiltIn(leaves) && !locked.has(leaves)) throw new Overtaken();
    const bound = { client_database_id: client.clientDatabaseId, character_id: caller.owner_id };
    const cause = await recordBound(tx, bound, released, now);
    const users = [caller.owner_id, ...(leaves === undefined ? [] : [leaves])];
    const how = { cause, own: LOGIN_AND_VOICE };
    // One after the other: an event of both would tell readers of each that one human plays them (D100).
    if (leaves !== undefined) {
      await followStandings(tx, { users: [leaves] }, now, () => leaveGroup(tx, group, leaves), how);
    }
    const enters = caller.owner_id;
    await followStandings(tx, { users: [enters] }, now, () => enterGroup(tx, group, enters), how);
    await endUnwelcome(services, tx, { users });
    return leaves;
  };
  const former = await inLineOfCaller(lines, admission, () => inTransaction(db, bind));
  if (former !== undefined) {
    log.info({ character_id: caller.owner_id, former }, 'a voice identity was proved by another user');
  }
}

/** Refuses a user token of the built-in user that was made from somebody else's permanent token (D23). */
function requireOwner(caller: Caller): void {
  if (isBuiltIn(caller.owner_id) && !isBuiltIn(answersFor(caller)))
    throw forbidden({ never: 'a token that stands for somebody else has no voice identity' });
}

function randomNickname(): string {
  return Array.from({ length: NICKNAME_LENGTH }, () => CHARACTERS[randomInt(CHARACTERS.length)]).join('');
}

/** The client with the nickname; none if there are two. Query clients and the id 0, no identity, do not count (D42). */
function theOne(clients: readonly VoiceClient[], nickname: string): VoiceClient | undefined {
  const [client, ...others] = clients.filter((each) => each.isVoice && each.nickname === nickname);
  return others.length === 0 && client?.clientDatabaseId !== 0 ? client : undefined;
}

function notConfigured(): DomainError {
  return new DomainError('voice_not_configured', 'No voice server is configured.');
}

function noChallenge(): DomainError {
  return new DomainError('voice_challenge_missing', 'Could not find challenge for user');
}

function noClient(): DomainError {
  return new DomainError('voice_client_missing', 'Could not find corresponding teamspeak client');
}
