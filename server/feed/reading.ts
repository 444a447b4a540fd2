import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { type FeedAnswer, type FeedQuestion, type Reader, readFeed } from '../event/read.queries.ts';
import type { Sealing } from '../event/sealing.ts';

type Reading = (reader: Reader, question: FeedQuestion) => Promise<FeedAnswer>;

/** Answers that are kept at the same time, until there is something new. */
const MOST_KEPT = 16;

/**
 * Reads the feed. Those who see everything and ask the same share one answer for as long as no other event has got its
 * position: of many who wait for one event the database hears once.
 */
export function createReading(db: Kysely<Database>, events: Pick<Sealing, 'position'>): Reading {
  const kept = new Map<string, Promise<FeedAnswer>>();
  let keptAt = -1;
  return (reader, question) => {
    // What was sealed already when this process heard of the last one is in an answer that was asked for since.
    const position = events.position;
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
