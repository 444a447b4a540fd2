import type { Change, Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import type { VoiceLimits } from '../voice-server/connection.ts';
import { ERROR_IDS, isRefusal } from '../voice-server/voice-error.ts';
import type { VoiceClient, VoiceServer } from '../voice-server/voice-server.ts';
import { findTellable, markTold } from './check-nicknames.queries.ts';
import { collectRefusals } from './collect-refusals.ts';
import { onVoiceServer } from './on-voice-server.ts';
import { nicknameOf } from './voice-name.ts';

type Needs = Pick<Services, 'db' | 'clock' | 'log' | 'settings'>;

/**
 * Minimum milliseconds between two messages to a user: an hour, minus the time by which a scheduled run may be early.
 */
const TELL_EVERY = 55 * 60_000;
/** Sender of the messages. */
const SENDER = 'castellan';

/**
 * Sends a message to users on the voice server whose nickname is not their tickered name (D41) or its first 30
 * characters, at most about once an hour. Where a client refuses it, the others get theirs all the same.
 *
 * @throws VoiceError when the voice server fails or has refused a message; users who got theirs are stored
 */
export async function checkVoiceNicknames(
  services: Needs,
  run: Run,
  limits?: VoiceLimits,
): Promise<readonly Change[]> {
  const changes = await onVoiceServer(services, run, (server) => checkOn(server, services, run), limits);
  return changes ?? [];
}

async function checkOn(server: VoiceServer, services: Needs, run: Run): Promise<readonly Change[]> {
  const { db, clock } = services;
  const clients = (await server.clients()).filter(({ isVoice }) => isVoice);
  const wrong = await findWrong(services, clients);
  if (wrong.length > 0 && !run.dryRun) await server.takeNickname(SENDER);
  const changes: Change[] = [];
  const refusals = collectRefusals(services, 'the voice server refuses a message to a client');
  for (const [index, { client, character_id, should }] of wrong.entries()) {
    const { clientDatabaseId: client_database_id, nickname } = client;
    await refusals.around({ character_id, client_database_id }, async () => {
      if (!run.dryRun) {
        const text = `Your nickname here is "${nickname}". Please change it to "${should}".`;
        if (!(await tell(server, client.clid, text))) return;
        await markTold(db, client_database_id, clock.now());
      }
      changes.push({ action: 'message', character_id, client_database_id, nickname, should_be: should });
    });
    run.progress(index + 1, wrong.length);
  }
  refusals.throwFirst();
  return changes;
}

interface Wrong {
  readonly client: VoiceClient;
  readonly character_id: number;
  readonly should: string;
}

/** For each user without the right nickname the first connection; on a second one the server would not give it. */
async function findWrong({ db, clock }: Needs, clients: readonly VoiceClient[]): Promise<Wrong[]> {
  const now = clock.now();
  const ids = [...new Set(clients.map(({ clientDatabaseId }) => clientDatabaseId))];
  const tellable = await findTellable(db, ids, new Date(now.getTime() - TELL_EVERY), now);
  return tellable.flatMap(({ character_id, client_database_id, tickered_name }) => {
    const should = nicknameOf({ tickered_name });
    const own = clients.filter(({ clientDatabaseId }) => clientDatabaseId === client_database_id);
    const [client] = own;
    if (client === undefined || own.some(({ nickname }) => nickname === should)) return [];
    return [{ client, character_id, should }];
  });
}

/** Sends a message; false when the client has disconnected meanwhile. */
async function tell(server: VoiceServer, clid: number, text: string): Promise<boolean> {
  try {
    await server.sendMessage(clid, text);
    return true;
  } catch (error) {
    if (isRefusal(error, [ERROR_IDS.invalidClient])) return false;
    throw error;
  }
}
