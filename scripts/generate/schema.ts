import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { startEmbedded } from '../../dev/postgres/embedded.ts';
import { connect } from '../../server/database/connection.ts';
import { migrate } from '../../server/database/migrate.ts';
import { describeSchema } from '../schema.ts';

const log = pino({ level: 'silent' });

/**
 * Text of migrations/schema.sql: the schema after applying all migrations to an empty database, which is started for
 * this.
 */
export async function schemaSql(): Promise<string> {
  // Below /tmp, which PostgreSQL's account can access.
  const folder = await mkdtemp(join(await realpath('/tmp'), 'castellan-schema-'));
  await chmod(folder, 0o711);
  try {
    const embedded = await startEmbedded({ dataDir: join(folder, 'data'), log, settings: { fsync: 'off' } });
    try {
      return await migratedSchema(embedded.url);
    } finally {
      await embedded.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function migratedSchema(url: string): Promise<string> {
  const { db, close } = connect({ url, log, poolSize: 2 });
  try {
    await migrate(db, log);
    return await describeSchema(db);
  } finally {
    await close();
  }
}
