import { randomBytes } from 'node:crypto';
import { isInUse } from '../http/listen.ts';
import type { Settings } from '../settings.ts';
import { type SimulatedProvider, startSimulatedProvider } from './provider.ts';

/** Starts the simulated provider beside the service (on the next port if free) and points the settings at it. */
export async function startForDevelopment(
  settings: Settings,
): Promise<{ settings: Settings; simulated: SimulatedProvider }> {
  const clientId = 'castellan-development';
  const clientSecret = randomBytes(24).toString('base64url');
  const start = (port: number) =>
    startSimulatedProvider({ clientId, clientSecret, port, scopePrefix: settings.extApi.scopePrefix });
  const simulated = await start(settings.port === 0 ? 0 : settings.port + 1).catch((error: unknown) => {
    if (!isInUse(error)) throw error;
    return start(0);
  });
  const { ssoUrl, apiUrl, specUrl } = simulated;
  return {
    simulated,
    settings: {
      ...settings,
      sso: { url: ssoUrl, clientId, clientSecret },
      extApi: { ...settings.extApi, url: apiUrl, specUrl },
    },
  };
}
