import { DomainError } from '../shared/domain-error.ts';
import { momentOf } from './event-id.ts';
import type { FeedAnswer } from './read.queries.ts';

/** Milliseconds for which the feed offers an event (D92). */
export const FEED_KEPT_FOR = 30 * 86_400_000;

/** Refuses a position whose following events the feed no longer offers, or that does not exist yet (D92). */
export function requireKept(
  after: number,
  { head, next }: Pick<FeedAnswer, 'head' | 'next'>,
  now: Date,
): void {
  const begins = now.getTime() - FEED_KEPT_FOR;
  if (after <= head && (next === null || momentOf(next).getTime() >= begins)) return;
  const why =
    after > head
      ? `There is no event ${after}: the last one is ${head}`
      : `What came after event ${after} is not kept for the feed any more`;
  throw new DomainError('resync', `${why}. Read the lists anew.`);
}
