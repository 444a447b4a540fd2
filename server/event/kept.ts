import { DomainError } from '../shared/errors.ts';
import { momentOf } from './event-id.ts';
import type { FeedAnswer } from './read.queries.ts';

/** Milliseconds for which events are kept for those who follow them (D92). */
export const FEED_KEPT_FOR = 30 * 86_400_000;

/** Refuses a position from which on events are not kept any more, or that there never was (D92). */
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
