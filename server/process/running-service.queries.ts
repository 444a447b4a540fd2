import type { Kysely } from 'kysely';
import type { Database, ServiceTable } from '../database/tables.ts';

/** The service process that is announced on this database; undefined when none is. */
export async function findService(
  db: Kysely<Database>,
): Promise<Pick<ServiceTable, 'base_url' | 'key_ids'> | undefined> {
  return db.selectFrom('service').select(['base_url', 'key_ids']).executeTakeFirst();
}

/** Announces this process, replacing any other one. */
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

/** Announces this process if no other one is; that takes no write while one is. */
export async function announceWhereNoneIs(
  db: Kysely<Database>,
  service: Omit<ServiceTable, 'one'>,
): Promise<void> {
  await db
    .insertInto('service')
    .values(service)
    .onConflict((conflict) => conflict.column('one').doNothing())
    .execute();
}

/** Withdraws the announcement of a process; that of another one stays. */
export async function withdrawService(db: Kysely<Database>, process: string): Promise<void> {
  await db.deleteFrom('service').where('process', '=', process).execute();
}
