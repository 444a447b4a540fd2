import { setTimeout as sleep } from 'node:timers/promises';
import type { EventPage } from '../../contract/event.ts';
import { USUAL_LIMIT } from '../../contract/paging.ts';
import { accountKey } from '../access/account.ts';
import { type Admission, goneOf } from '../access/admission.ts';
import type { Caller } from '../access/caller.queries.ts';
import { leastIdOf } from '../event/event-id.ts';
import { FEED_KEPT_FOR, requireKept } from '../event/feed-retention.ts';
import { type FeedQuestion, findFirstPosition } from '../event/read.queries.ts';
import { feedReader, viewerOf } from '../event/reader.ts';
import { shown } from '../event/show.ts';
import type { Services } from '../services/services.ts';
import { createReading } from './reading.ts';
import { createWaitingRoom } from './waiting.ts';

/** Maximum number of events examined for one answer. */
const MOST = 2000;
/** Minimum milliseconds between two reads of one waiting request. */
const RHYTHM = 200;

interface FeedQuery {
  readonly after?: number | undefined;
  readonly types?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  /** Seconds to wait for an event. */
  readonly wait?: number | undefined;
}

/** Reads the feed (D92). */
export type Feed = (admission: Admission, query: FeedQuery) => Promise<EventPage>;

export function createFeed({
  db,
  clock,
  events,
  lines,
}: Pick<Services, 'db' | 'clock' | 'events' | 'lines'>): Feed {
  const enter = createWaitingRoom();
  const read = createReading(db, events);

  async function look(caller: Caller, question: FeedQuestion, now = clock.now()): Promise<EventPage> {
    const answer = await read(feedReader(caller), question);
    const { events: found, looked, head } = answer;
    const { after, limit } = question;
    requireKept(after, answer, now);
    const last = found.length < limit ? undefined : found.at(-1)?.position;
    const cursor = last ?? looked ?? after;
    const viewer = viewerOf(caller);
    return {
      events: found.map((event) => shown(event, viewer)),
      cursor: String(cursor),
      more: cursor < head,
    };
  }

  /**
   * Reads again whenever there may be new events, each time with the caller's present rights. Where no read can be had in
   * time, the cursor stays where it is.
   */
  async function hold(
    admission: Admission,
    question: FeedQuestion,
    { wait, now }: { readonly wait: number; readonly now: Date },
  ) {
    const gone = goneOf(admission);
    const over = new AbortController();
    const end = () => over.abort();
    const timer = setTimeout(end, wait * 1000);
    gone.addEventListener('abort', end);
    const { signal: ends } = over;
    try {
      for (let after = question.after, first = true; ; first = false) {
        // Subscribed before the read: otherwise an event that arrives during the read would be missed.
        const news = events.changed(ends);
        const read = ({ caller }: Admission) =>
          first ? look(caller, question, now) : look(caller, { ...question, after });
        const page = await lines
          .looks(accountKey(admission.caller), { ...admission, gone: () => ends }, read, !first)
          .catch((error: unknown) => {
            if (error !== ends.reason) throw error;
            return { events: [], cursor: String(after), more: events.position > after };
          });
        if (page.events.length > 0 || page.more || ends.aborted || gone.aborted || events.ending) return page;
        after = Number(page.cursor);
        if (events.position <= after) await news;
        await sleep(RHYTHM, undefined, { signal: ends }).catch(() => undefined);
      }
    } finally {
      clearTimeout(timer);
      gone.removeEventListener('abort', end);
      // Ends the subscription to new events.
      over.abort();
    }
  }

  return async (admission, { after, types, limit = USUAL_LIMIT, wait = 0 }) => {
    // By one reading of the clock the feed begins and is judged: else its first event might be out of it by then.
    const now = clock.now();
    const begins = leastIdOf(new Date(now.getTime() - FEED_KEPT_FOR));
    const from = after ?? (await findFirstPosition(db, begins)) - 1;
    const question = { after: from, types, limit, most: MOST };
    if (wait === 0) return look(admission.caller, question, now);
    const leave = enter(admission.caller);
    try {
      return await hold(admission, question, { wait, now });
    } finally {
      leave();
    }
  };
}
