import { requireComplete, type Settings } from '../server/config/settings.ts';
import type { Purpose, StartStandIns } from '../server/process/stand-ins.ts';
import { CannotStart } from '../server/shared/cannot-start.ts';
import type { EmbeddedDatabase, EmbeddedOptions } from './postgres/embedded.ts';
import type { SimulatedProvider } from './provider/provider.ts';

/**
 * Outside production, creates what the settings leave out: database, keys, provider and voice server (D61). Each is
 * loaded when it is needed, because a command beside the service, `--help` and wrong settings need few of them.
 */
export const startStandIns: StartStandIns = async (configured, log, purpose) => {
  const { databaseUrl, dataDir } = configured;
  const embedded = databaseUrl === undefined ? await startDatabase({ dataDir, log }, purpose) : undefined;
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

async function startDatabase(options: EmbeddedOptions, purpose: Purpose): Promise<EmbeddedDatabase> {
  if (purpose === 'doctor' || purpose === 'token') await requireCluster(options.dataDir);
  if (purpose === 'first-token') await warnOfNewCluster(options.dataDir);
  const { startEmbedded } = await import('./postgres/embedded.ts');
  return startEmbedded(options);
}

const nowhere = (dataDir: string) =>
  `DATABASE_URL is set neither in the environment nor in .env, and there is no database in ${dataDir}: `;

/** The first token may come before the first start; where the service runs with other settings it would be of no use. */
async function warnOfNewCluster(dataDir: string): Promise<void> {
  const { hasCluster } = await import('./postgres/places.ts');
  if (await hasCluster(dataDir)) return;
  process.stderr.write(
    `${nowhere(dataDir)}a new one is made there. A service that has its settings from elsewhere does not know this token.\n`,
  );
}

/**
 * Refuses a DATA_DIR without a database, and says that it is the one in there: where the service has its settings from
 * elsewhere, nothing else would tell that a token was not revoked because it is in another database.
 */
async function requireCluster(dataDir: string): Promise<void> {
  const { hasCluster } = await import('./postgres/places.ts');
  if (!(await hasCluster(dataDir))) {
    throw new CannotStart(`${nowhere(dataDir)}give this command the settings of the service.`);
  }
  process.stderr.write(`DATABASE_URL is not set: this is the embedded PostgreSQL in ${dataDir}.\n`);
}

async function withProvider(
  settings: Settings,
  purpose: Purpose,
): Promise<{ settings: Settings; simulated?: SimulatedProvider }> {
  if (settings.sso.clientId !== undefined) return { settings };
  if (purpose === 'token' || purpose === 'first-token') {
    return { settings: { ...settings, sso: { ...settings.sso, clientId: 'unused' } } };
  }
  const { joinForDevelopment, startForDevelopment } = await import('./development.ts');
  if (purpose === 'service') return startForDevelopment(settings);
  return { settings: await joinForDevelopment(settings) };
}
