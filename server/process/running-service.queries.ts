import type { Kysely } from 'kysely';
import type { Database, ServiceTable } from '../database/tables.ts';

/** How the service was started that runs on this database; undefined: none does. */
export async function findService(
  db: Kysely<Database>,
): Promise<Pick<ServiceTable, 'base_url' | 'key_ids'> | undefined> {
  return db.selectFrom('service').select(['base_url', 'key_ids']).executeTakeFirst();
}

/** Writes down how this process was started; of several the last one counts. */
export async function announceService(
  db: Kysely<Database>,
  service: Omit<ServiceTable, 'one'>,
): Promise<void> {
  await db
    .insertInto('service')
    .values(service)
    .onConflict((conflict) => conflict.column('one').doUpdateSet(service))
    .execute();
}

/** The process has stopped; if a later one was started, that one stays announced. */
export async function withdrawService(db: Kysely<Database>, process: string): Promise<void> {
  await db.deleteFrom('service').where('process', '=', process).execute();
}
