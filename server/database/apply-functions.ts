import { createHash } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { FunctionSet } from './functions/index.ts';
import type { Database } from './tables.ts';

/**
 * Applies the functions that differ from the ones last applied to this database; returns their names. Functions applied
 * by a later release are kept. The caller's transaction has the lock of migrations.
 *
 * @throws with the failed function's name, the database's error as `cause`
 */
export async function applyFunctions(
  tx: Transaction<Database>,
  { revision, definitions }: FunctionSet,
): Promise<readonly string[]> {
  const all = Object.entries(definitions);
  if (all.length === 0) return [];
  const applied = await tx.selectFrom('repeatable').select(['name', 'hash', 'revision']).execute();
  const lastOf = new Map(applied.map((row) => [row.name, row]));
  const due = all
    .map(([name, text]) => ({ name, text, hash: hashOf(text) }))
    .filter(({ name, hash }) => {
      const last = lastOf.get(name);
      return last === undefined || (last.hash !== hash && last.revision <= revision);
    });
  for (const { name, text, hash } of due) {
    await apply(tx, name, text);
    const row = { hash, revision, applied_on: sql<Date>`now()` };
    await tx
      .insertInto('repeatable')
      .values({ name, ...row })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
      .execute();
  }
  return due.map(({ name }) => name);
}

async function apply(db: Kysely<Database>, name: string, text: string): Promise<void> {
  try {
    await sql.raw(text).execute(db);
  } catch (error) {
    throw new Error(`Database function ${name} failed: ${(error as Error).message}`, { cause: error });
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
