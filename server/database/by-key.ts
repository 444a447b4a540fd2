import type { Kysely } from 'kysely';
import { isOverdue, isUnreachable } from './errors.ts';
import type { Database } from './tables.ts';

/** Concurrent statements of one kind, and keys per statement. */
const STATEMENTS = 2;
const MOST_KEYS = 200;

/** Reads the rows of all these distinct keys in one statement. */
type ReadAll<Key, Row> = (db: Kysely<Database>, keys: readonly Key[]) => Promise<ReadonlyMap<Key, Row>>;

/** A batch of keys; callers may join until its statement is sent. */
interface Party<Key, Row> {
  readonly keys: Set<Key>;
  readonly rows: Promise<ReadonlyMap<Key, Row | Error>>;
}

/**
 * A read by key that batches concurrent calls: calls that arrive while statements are running share the next statement,
 * so that many requests cost a few statements instead of one each. Calls within a transaction are batched separately.
 * Nothing is cached: every row is read after the call was made, so a token revoked before it is seen as revoked (D20).
 */
export function byKey<Key extends string | number, Row>(
  readAll: ReadAll<Key, Row>,
): (db: Kysely<Database>, key: Key) => Promise<Row | undefined> {
  const readers = new WeakMap<Kysely<Database>, (key: Key) => Promise<Row | undefined>>();
  return (db, key) => {
    let read = readers.get(db);
    if (read === undefined) {
      read = createReader((keys) => readAll(db, keys));
      readers.set(db, read);
    }
    return read(key);
  };
}

function createReader<Key, Row>(
  readAll: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Row>>,
): (key: Key) => Promise<Row | undefined> {
  const waiting: (() => void)[] = [];
  let out = 0;
  let gathering: Party<Key, Row> | undefined;

  const send = () => {
    while (out < STATEMENTS && waiting.length > 0) {
      out += 1;
      waiting.shift()?.();
    }
  };

  function gather(): Party<Key, Row> {
    const keys = new Set<Key>();
    const started = new Promise<void>((resolve) => waiting.push(resolve));
    // Deferred, so that calls in this turn of the event loop join the batch.
    if (out < STATEMENTS) setImmediate(send);
    const rows = started.then(() => {
      if (gathering === party) gathering = undefined;
      return readTogether(readAll, [...keys]);
    });
    const party = { keys, rows };
    const back = () => {
      out -= 1;
      setImmediate(send);
    };
    rows.then(back, back);
    return party;
  }

  return async (key) => {
    if (gathering === undefined || gathering.keys.size >= MOST_KEYS) gathering = gather();
    gathering.keys.add(key);
    const found = (await gathering.rows).get(key);
    if (found instanceof Error) throw found;
    return found;
  };
}

/**
 * If the statement fails because of one key, reads the keys one by one, so that only that key's callers get the error.
 */
async function readTogether<Key, Row>(
  readAll: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Row>>,
  keys: readonly Key[],
): Promise<ReadonlyMap<Key, Row | Error>> {
  try {
    return await readAll(keys);
  } catch (error) {
    if (keys.length === 1 || isUnreachable(error) || isOverdue(error)) throw error;
    const each = new Map<Key, Row | Error>();
    for (const key of keys) {
      const found = await readAll([key]).then((rows) => rows.get(key), toError);
      if (found !== undefined) each.set(key, found);
    }
    return each;
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
