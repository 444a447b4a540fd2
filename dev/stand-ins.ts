import { requireComplete, type Settings } from '../server/config/settings.ts';
import type { StartStandIns } from '../server/process/stand-ins.ts';
import type { EmbeddedDatabase, EmbeddedOptions } from './postgres/embedded.ts';
import type { SimulatedProvider } from './provider/provider.ts';

/**
 * Outside production, creates what the settings leave out: database, keys, provider and voice server (D61). Each is
 * loaded when it is needed, because a command beside the service, `--help` and wrong settings need few of them.
 */
export const startStandIns: StartStandIns = async (configured, log, purpose) => {
  const { databaseUrl, dataDir } = configured;
  const embedded = databaseUrl === undefined ? await startDatabase({ dataDir, log }) : undefined;
  try {
    const { keyMaterial } = await import('./keys.ts');
    const keys = await keyMaterial(configured);
    const complete = { ...configured, ...keys, databaseUrl: databaseUrl ?? embedded?.url };
    const { settings, simulated } = await withProvider(complete, purpose);
    return {
      settings: requireComplete(settings),
      ...(simulated && {
        welcome: async (services) => (await import('./welcome.ts')).startWelcome(services, simulated),
      }),
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

async function startDatabase(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { startEmbedded } = await import('./postgres/embedded.ts');
  return startEmbedded(options);
}

async function withProvider(
  settings: Settings,
  purpose: Parameters<StartStandIns>[2],
): Promise<{ settings: Settings; simulated?: SimulatedProvider }> {
  if (settings.sso.clientId !== undefined) return { settings };
  if (purpose === 'token') return { settings: { ...settings, sso: { ...settings.sso, clientId: 'unused' } } };
  const { joinForDevelopment, startForDevelopment } = await import('./development.ts');
  if (purpose === 'service') return startForDevelopment(settings);
  return { settings: await joinForDevelopment(settings) };
}
