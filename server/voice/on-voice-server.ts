import type { Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import { parseVoiceUrl } from '../voice-server/address.ts';
import type { VoiceLimits } from '../voice-server/connection.ts';
import { type VoiceServer, withVoiceServer } from '../voice-server/voice-server.ts';

/** A run lasts as long as there is progress and its signal lets it; a fault ends it well within 30 s. */
const LIMITS: VoiceLimits = { connect: 5_000, command: 5_000, total: Number.POSITIVE_INFINITY };

/**
 * One run over one connection; undefined where no voice server is configured.
 * @throws VoiceError when the voice server fails: the next run goes on from what is there then
 */
export async function onVoiceServer<T>(
  { settings }: Pick<Services, 'settings'>,
  run: Run,
  work: (server: VoiceServer) => Promise<T>,
  limits: VoiceLimits = LIMITS,
): Promise<T | undefined> {
  const { url } = settings.voice;
  if (url === undefined) return undefined;
  return withVoiceServer(parseVoiceUrl(url), { limits, signal: run.signal, stayAway: true }, work);
}
