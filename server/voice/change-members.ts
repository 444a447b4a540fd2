import type { Services } from '../services/services.ts';
import { ERROR_IDS, isRefusal } from '../voice-server/voice-error.ts';
import type { VoiceServer } from '../voice-server/voice-server.ts';

/** Clients in one command. */
const SET = 50;

/** Clients that are in the wanted state already (2561, 2563), and those that the server does not know (512). */
const HARMLESS = [ERROR_IDS.alreadyMember, ERROR_IDS.notMember, ERROR_IDS.invalidClient];

/**
 * Changes members of a server group in batches, then one by one those whom the batches left unchanged: one client that
 * cannot be changed fails its batch, and some servers change only the first client of a batch.
 *
 * @param step called with the number of clients that were processed
 * @throws VoiceError for the first client that is refused for any but a harmless reason, after the others were changed;
 *   at once where the permission is missing
 */
export async function changeMembers(
  server: VoiceServer,
  services: Pick<Services, 'log'>,
  sgid: number,
  action: 'add' | 'remove',
  ids: readonly number[],
  step: (count: number) => void,
): Promise<void> {
  const send = action === 'add' ? server.addMembers : server.removeMembers;
  let rest = ids;
  if (ids.length > 1) {
    for (let start = 0; start < ids.length; start += SET) {
      const set = ids.slice(start, start + SET);
      await send(sgid, set).catch(unlessFailed);
      step(set.length);
    }
    const members = await server.members(sgid);
    rest = action === 'add' ? without(ids, members) : ids.filter((id) => members.includes(id));
  }
  const refusals: unknown[] = [];
  for (const id of rest) {
    try {
      await send(sgid, [id]);
    } catch (error) {
      if (!isRefusal(error, 'any') || isRefusal(error, [ERROR_IDS.insufficientPermissions])) throw error;
      if (!isRefusal(error, HARMLESS)) refusals.push(error);
      if (isRefusal(error, [ERROR_IDS.invalidClient])) noteUnknown(services, sgid, id);
    }
    if (ids.length === 1) step(1);
  }
  if (refusals.length > 0) throw refusals[0];
}

function unlessFailed(error: unknown): void {
  if (!isRefusal(error, 'any')) throw error;
}

function noteUnknown({ log }: Pick<Services, 'log'>, sgid: number, id: number): void {
  log.warn({ sgid, client_database_id: id }, 'the voice server does not know a bound identity any more');
}

export function without(ids: readonly number[], others: readonly number[]): number[] {
  const left = new Set(others);
  return [...new Set(ids)].filter((id) => !left.has(id));
}
