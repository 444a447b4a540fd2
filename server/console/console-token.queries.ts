import { type Kysely, sql } from 'kysely';
import { BUILT_IN_USER } from '../access/clearance-levels.ts';
import type { Database } from '../database/tables.ts';

/** The console's token: a dynamic token without a parent, which only the console has. */
export async function findConsoleToken(db: Kysely<Database>, callback: string) {
  return db
    .selectFrom('tokens')
    .select('uuid')
    .where('token_type', '=', 'dyn')
    .where('owner_id', '=', BUILT_IN_USER)
    .where('parent', 'is', null)
    .where('callback', '=', callback)
    .orderBy('created_on')
    .orderBy('uuid')
    .executeTakeFirst();
}

/** Takes an advisory lock until the transaction ends, so that only one process creates the console's token. */
export async function lockConsoleToken(db: Kysely<Database>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('token of the console'))`.execute(db);
}
