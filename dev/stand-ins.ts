import { requireComplete, type Settings } from '../server/config/settings.ts';
import type { StartStandIns } from '../server/process/stand-ins.ts';
import { joinForDevelopment, startForDevelopment } from './development.ts';
import { keyMaterial } from './keys.ts';
import { startEmbedded } from './postgres/embedded.ts';
import type { SimulatedProvider } from './provider/provider.ts';
import { startWelcome } from './welcome.ts';

/** Outside production, creates what the settings leave out: database, keys, provider and voice server (D61). */
export const startStandIns: StartStandIns = async (configured, log, purpose) => {
  const { databaseUrl, dataDir } = configured;
  const embedded = databaseUrl === undefined ? await startEmbedded({ dataDir, log }) : undefined;
  try {
    const keys = await keyMaterial(configured);
    const complete = { ...configured, ...keys, databaseUrl: databaseUrl ?? embedded?.url };
    const { settings, simulated } = await withProvider(complete, purpose);
    return {
      settings: requireComplete(settings),
      ...(simulated && { welcome: (services) => startWelcome(services, simulated) }),
      stop: async () => {
        await simulated?.stop();
        await embedded?.stop();
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
};

async function withProvider(
  settings: Settings,
  purpose: Parameters<StartStandIns>[2],
): Promise<{ settings: Settings; simulated?: SimulatedProvider }> {
  if (settings.sso.clientId !== undefined) return { settings };
  if (purpose === 'token') return { settings: { ...settings, sso: { ...settings.sso, clientId: 'unused' } } };
  if (purpose === 'service') return startForDevelopment(settings);
  return { settings: await joinForDevelopment(settings) };
}
