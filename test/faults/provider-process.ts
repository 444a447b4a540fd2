import { readSettings } from '../../server/config/settings.ts';
import { connect } from '../../server/database/connection.ts';
import { learnOfPooler } from '../../server/database/open.ts';
import { createAccessTokens } from '../../server/grant/refresh-tokens.ts';
import { createVault } from '../../server/keys/vault.ts';
import { createLog } from '../../server/observability/log.ts';
import { createMetrics } from '../../server/observability/metrics.ts';
import { createOutages } from '../../server/observability/outages.ts';
import { createProvider } from '../../server/provider/provider.ts';
import { createSso } from '../../server/provider/sso.ts';
import { systemClock } from '../../server/shared/clock.ts';

/** A process that requests one character's skills and prints the result; tests may kill it meanwhile. */
const [characterId] = process.argv.slice(2).map(Number);
const settings = readSettings(process.env);
const log = createLog('silent');
await learnOfPooler(settings.databaseUrl ?? '');
const { db, close } = connect({ url: settings.databaseUrl ?? '', log });
const { client } = createProvider({
  metrics: createMetrics(),
  settings: settings.extApi,
  db,
  clock: systemClock,
  log,
  outages: createOutages(log, systemClock),
  access: createAccessTokens({
    db,
    log,
    clock: systemClock,
    vault: createVault(settings.encryptionKeys ?? []),
    sso: createSso({ settings, clock: systemClock }),
    queue: { send: async () => undefined },
  }),
  limits: undefined,
});
const { status } = await client.ask({
  path: `/characters/${characterId}/skills`,
  as: { characterId: characterId ?? 0, scope: 'ext-skills.read_skills.v1' },
  on: 'service',
});
process.stdout.write(`${status}\n`);
await close();
process.exit(0);
