import { CastellanError, ok } from '@castellan/sdk';
import { useEffect } from 'react';
import { forget, noticeRefusal, queries, reader } from './api.ts';
import { currentToken } from './session.ts';

/** Seconds that a request for events waits in the service for the next event. */
const WAIT = 25;
/** Milliseconds after which its answer is waited for no longer: the connection may be gone, such as after a suspend. */
const LONGEST = (WAIT + 30) * 1_000;
/** Milliseconds before the next request after a failed one. */
const PAUSE = 10_000;
/**
 * Milliseconds between two rounds of requests for what events changed: while the sync runs there are events all the time,
 * and what a user does shares the rate limit with this.
 */
const RHYTHM = 2_000;
const MOST_EVENTS = 1_000;

/** Keeps the screens up to date: follows the feed and fetches what events changed, while the page is visible. */
export function useLive(): void {
  useEffect(() => {
    const end = new AbortController();
    void follow(end.signal);
    return () => end.abort();
  }, []);
}

async function follow(signal: AbortSignal): Promise<void> {
  let cursor: number | undefined;
  // Outside of the loop, so that a failed request does not make it forget what former ones told.
  const changed = new Set<keyof typeof queries>();
  while (!signal.aborted && currentToken() !== undefined) {
    try {
      await visible(signal);
      cursor ??= await present(signal);
      const page = await reader.event.list({
        // What is known to have changed does not wait for more.
        query: { after: cursor, wait: changed.size > 0 ? 0 : WAIT, limit: MOST_EVENTS },
        signal,
        timeout: LONGEST,
      });
      cursor = Number(page.cursor);
      for (const { type } of page.events) for (const resource of resourcesOf(type)) changed.add(resource);
      if (changed.size === 0 || page.more) continue;
      await forget(...changed);
      changed.clear();
      await pause(signal, RHYTHM);
    } catch (error) {
      noticeRefusal(error);
      if (error instanceof CastellanError && error.code === 'resync') {
        // The feed no longer offers the events since the last visit, so everything shown is fetched again.
        cursor = await present(signal).catch(() => undefined);
        await forget(...(Object.keys(queries) as (keyof typeof queries)[]));
      }
      await pause(signal, PAUSE);
    }
  }
}

/** The position of the last event that lists include at present. */
async function present(signal: AbortSignal): Promise<number> {
  const answer = await reader.group.list.answer({ signal });
  // An error has no position: from 0 on the whole history would be read.
  await ok(answer);
  return Number(answer.headers.get('castellan-position') ?? 0);
}

/** Resources that an event, by its subject or its type, affects besides the one that it is about. */
const ALSO: Readonly<Record<string, readonly (keyof typeof queries)[]>> = {
  application: ['group'],
  group: ['application'],
  coalition: ['alliance', 'corporation'],
  alliance: ['corporation'],
  job: ['system'],
  // Whether somebody complies.
  grant: ['corporation', 'alliance', 'coalition'],
  registry: ['system'],
  // Whatever names the user.
  'user.renamed': ['group', 'coalition', 'alliance', 'corporation', 'application', 'person'],
};

/**
 * The resources that an event of this type affects; always users, who show memberships, the token, which shows the
 * signed-in one, and the audit log.
 */
function resourcesOf(type: string): (keyof typeof queries)[] {
  const subject = type.split('.')[0] ?? '';
  const named = subject in queries ? [subject as keyof typeof queries] : [];
  return [...named, ...(ALSO[subject] ?? []), ...(ALSO[type] ?? []), 'user', 'token', 'audit'];
}

function visible(signal: AbortSignal): Promise<void> {
  if (document.visibilityState === 'visible') return Promise.resolve();
  return new Promise((resolve) => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true, signal });
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function pause(signal: AbortSignal, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      // The signal lasts as long as the page, and there is a pause every other second while events come.
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, signal.aborted ? 0 : milliseconds);
    signal.addEventListener('abort', end);
  });
}
