import type { Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import { parseVoiceUrl } from '../voice-server/address.ts';
import type { VoiceLimits } from '../voice-server/connection.ts';
import { type VoiceServer, withVoiceServer } from '../voice-server/voice-server.ts';

/**
 * No total timeout, as a run lasts as long as it makes progress and its signal is not aborted; a failure ends it well
 * within 30 s.
 */
const LIMITS: VoiceLimits = { connect: 5_000, command: 5_000, total: Number.POSITIVE_INFINITY };

/**
 * Performs one run over one connection; undefined when no voice server is configured.
 *
 * @throws VoiceError when the voice server fails; the next run starts from the state then
 */
export async function onVoiceServer<T>(
  { settings }: Pick<Services, 'settings'>,
  run: Run,
  work: (server: VoiceServer) => Promise<T>,
  limits: VoiceLimits = LIMITS,
): Promise<T | undefined> {
  const { url } = settings.voice;
  if (url === undefined) return undefined;
  return withVoiceServer(parseVoiceUrl(url), { limits, signal: run.signal, canWait: true }, work);
}
