import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { type FeedAnswer, type FeedQuestion, type Reader, readFeed } from '../event/read.queries.ts';
import type { Sealing } from '../event/sealing.ts';

type Reading = (reader: Reader, question: FeedQuestion) => Promise<FeedAnswer>;

/** Maximum number of shared answers. */
const MOST_KEPT = 16;

/**
 * Reads the feed. Readers who see everything and ask the same question share one answer until the next event is sealed:
 * so many waiting readers cost the database one statement for each event.
 */
export function createReading(db: Kysely<Database>, events: Pick<Sealing, 'position'>): Reading {
  const kept = new Map<string, Promise<FeedAnswer>>();
  let keptAt = -1;
  return (reader, question) => {
    // An answer read after this process learnt of `position` includes all events up to it, so it may be shared.
    const position = events.position;
    // After a failover that lost events their positions are given again.
    if (position < keptAt) keptAt = -1;
    if (reader !== 'all' || question.after >= position) return readFeed(db, reader, question);
    if (position !== keptAt || kept.size >= MOST_KEPT) kept.clear();
    keptAt = position;
    const key = JSON.stringify(question);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const reading = readFeed(db, reader, question);
    kept.set(key, reading);
    reading.catch(() => kept.delete(key));
    return reading;
  };
}
