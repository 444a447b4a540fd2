import type { Kysely } from 'kysely';
import { sharedLookups } from '../shared/shared-lookup.ts';
import type { Database } from './tables.ts';

/**
 * A read whose concurrent callers share statements, as {@link sharedLookups} does: a list that many want at once is made
 * once for all of them. Nothing is cached: each statement begins after the calls that it answers (D20).
 */
export function sharedRead<Key extends string | number, Row>(
  read: (db: Kysely<Database>, key: Key) => Promise<Row>,
): (db: Kysely<Database>, key: Key) => Promise<Row> {
  const shares = new WeakMap<Kysely<Database>, ReturnType<typeof sharedLookups<Key, Row>>>();
  return (db, key) => {
    let share = shares.get(db);
    if (share === undefined) {
      share = sharedLookups();
      shares.set(db, share);
    }
    return share(key, () => read(db, key));
  };
}
