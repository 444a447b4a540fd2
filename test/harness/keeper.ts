import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import pino from 'pino';
import { startEmbedded } from '../../dev/postgres/embedded.ts';
import { makeClusterFolder } from './cluster-folder.ts';
import { FAKED_CLOCK } from './faked-clock.ts';

/**
 * Runs a PostgreSQL for one test run and prints its URL; arguments are settings (`name=value`) beside its own. It ends
 * and removes its files when its standard input closes: at the end of the run, or when the run was killed.
 */

const folder = await makeClusterFolder('castellan-test-');
try {
  const embedded = await startEmbedded({
    dataDir: folder,
    log: pino({ level: 'silent' }),
    // Test databases need not survive a power failure.
    settings: {
      ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' },
      // Nor do they live long enough to need it; statistics that appear in the middle of a test would be chance.
      autovacuum: 'off',
      timezone: process.env['TZ'] ?? 'UTC',
      ...Object.fromEntries(process.argv.slice(2).map((argument) => argument.split('='))),
    },
    environment: FAKED_CLOCK,
  });
  process.stdout.write(`${embedded.url}\n`);
  await once(process.stdin.resume(), 'end');
  await embedded.stop();
} finally {
  await rm(folder, { recursive: true, force: true });
}
