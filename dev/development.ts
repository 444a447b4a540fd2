import { randomBytes } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { openDataDir } from '../server/config/data-dir.ts';
import type { Settings } from '../server/config/settings.ts';
import { isInUse } from '../server/http/listen.ts';
import { CannotStart } from '../server/shared/cannot-start.ts';
import type { SimulatedProvider } from './provider/provider.ts';
import type { SimulatedVoiceServer } from './voice-server/server.ts';

/** Settings of the simulated provider in DATA_DIR: the secret for later starts, all of it for workers. */
const PublishedSettings = z.object({
  sso: z.object({ url: z.string(), clientId: z.string(), clientSecret: z.string() }),
  extApi: z.object({ url: z.string(), specUrl: z.string() }),
  voice: z.object({ url: z.string().optional() }).default({}),
});
type PublishedSettings = z.infer<typeof PublishedSettings>;

const fileOf = (settings: Settings) => join(settings.dataDir, 'simulated-provider.json');

/**
 * Starts the simulated provider beside the service (on the next port if free), with a simulated voice server where
 * none is configured, and points the settings at them.
 */
export async function startForDevelopment(
  settings: Settings,
): Promise<{ settings: Settings; simulated: SimulatedProvider }> {
  // Workers, which join it, do not load it.
  const { startSimulatedProvider } = await import('./provider/provider.ts');
  const clientId = 'castellan-development';
  // Its refresh tokens are encrypted with the secret, so those in the database stay valid after a restart.
  const clientSecret =
    (await readPublished(settings))?.sso.clientSecret ?? randomBytes(24).toString('base64url');
  const { scopePrefix } = settings.extApi;
  const voice = settings.voice.url === undefined ? await startVoice() : undefined;
  const start = (port: number) =>
    startSimulatedProvider({ clientId, clientSecret, port, scopePrefix, voice });
  const simulated = await start(settings.port === 0 ? 0 : settings.port + 1).catch((error: unknown) => {
    if (!isInUse(error)) throw error;
    return start(0);
  });
  const { ssoUrl, apiUrl, specUrl } = simulated;
  const at = {
    sso: { url: ssoUrl, clientId, clientSecret },
    extApi: { url: apiUrl, specUrl },
    voice: { url: voice?.url },
  };
  return { simulated, settings: pointAt(settings, at) };
}

/** Starts a voice server with some clients: the same identities at every start, as the database refers to them. */
async function startVoice(): Promise<SimulatedVoiceServer> {
  const { startSimulatedVoiceServer } = await import('./voice-server/server.ts');
  const voice = await startSimulatedVoiceServer();
  for (const nickname of ['Visitor', 'Scout', 'Logistics']) voice.world.connect(nickname);
  return voice;
}

/**
 * Stores the simulated provider's address for workers; call it when the service listens, as a start may still fail
 * before.
 */
export async function publishToWorkers(
  settings: Settings,
  { voice }: Pick<SimulatedProvider, 'voice'>,
): Promise<void> {
  const file = fileOf(settings);
  await openDataDir(settings.dataDir);
  // A configured voice server is not stored: every process reads it from its settings, and its password must not be in
  // this file.
  const kept = PublishedSettings.parse({ ...settings, voice: { url: voice?.url } });
  await writeFile(file, `${JSON.stringify(kept)}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
}

/**
 * Points the settings of a worker at the simulated provider of the service.
 * @throws CannotStart when the service was never started on this DATA_DIR
 */
export async function joinForDevelopment(settings: Settings): Promise<Settings> {
  const kept = await readPublished(settings);
  if (kept === undefined) {
    throw new CannotStart(
      'Without SSO_CLIENT_ID a worker uses the simulated provider of the service: start that first (npm start).',
    );
  }
  return pointAt(settings, kept);
}

function pointAt(settings: Settings, { sso, extApi, voice }: PublishedSettings): Settings {
  const url = settings.voice.url ?? voice.url;
  return { ...settings, sso, extApi: { ...settings.extApi, ...extApi }, voice: { ...settings.voice, url } };
}

async function readPublished(settings: Settings): Promise<PublishedSettings | undefined> {
  try {
    return PublishedSettings.parse(JSON.parse(await readFile(fileOf(settings), 'utf8')));
  } catch {
    // Missing or truncated; the next start writes it again.
    return undefined;
  }
}
