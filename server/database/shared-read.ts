import type { Kysely } from 'kysely';
import type { Database } from './tables.ts';

/** A read under way, and the one that begins when it ends, if anybody waits for that. */
interface Share<Row> {
  readonly row: Promise<Row>;
  next: Promise<Row> | undefined;
}

/**
 * A read whose concurrent callers share statements: those who ask for a key while its statement is running share the next
 * one and its result, so that a list that many want at once is made once for all of them. Other keys wait for nothing.
 * Nothing is cached: each statement begins after the calls that it answers (D20).
 */
export function sharedRead<Key extends string | number, Row>(
  read: (db: Kysely<Database>, key: Key) => Promise<Row>,
): (db: Kysely<Database>, key: Key) => Promise<Row> {
  const reads = new WeakMap<Kysely<Database>, Map<Key, Share<Row>>>();
  return (db, key) => {
    let shares = reads.get(db);
    if (shares === undefined) {
      shares = new Map();
      reads.set(db, shares);
    }
    return join(shares, key, () => read(db, key));
  };
}

function join<Key, Row>(shares: Map<Key, Share<Row>>, key: Key, read: () => Promise<Row>): Promise<Row> {
  const running = shares.get(key);
  if (running === undefined) return begin();
  running.next ??= running.row.then(begin, begin);
  return running.next;

  function begin(): Promise<Row> {
    const share: Share<Row> = { row: read(), next: undefined };
    shares.set(key, share);
    const end = () => {
      if (share.next === undefined) shares.delete(key);
    };
    share.row.then(end, end);
    return share.row;
  }
}
