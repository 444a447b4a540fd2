import { CastellanError } from '@castellan/sdk';
import { useEffect } from 'react';
import { castellan, forget, queries } from './api.ts';
import { currentToken } from './session.ts';

/** Seconds that a request for events waits in the service for the next event. */
const WAIT = 25;
/** Milliseconds before the next request after a failed one. */
const PAUSE = 10_000;

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
  while (!signal.aborted && currentToken() !== undefined) {
    try {
      await visible(signal);
      cursor ??= await present(signal);
      const { events, cursor: next } = await castellan.event.list({
        query: { after: cursor, wait: WAIT },
        signal,
        retries: 0,
      });
      cursor = Number(next);
      const resources = new Set(events.flatMap(({ type }) => resourcesOf(type)));
      if (resources.size > 0) await forget(...resources);
    } catch (error) {
      // The feed no longer offers the events since the last visit, so everything shown is fetched again.
      if (error instanceof CastellanError && error.code === 'resync') cursor = undefined;
      else await pause(signal);
    }
  }
}

/** The position of the last event that lists include at present. */
async function present(signal: AbortSignal): Promise<number> {
  const { headers } = await castellan.group.list.answer({ signal });
  return Number(headers.get('castellan-position') ?? 0);
}

/** Resources that an event affects besides the one that it is about. */
const ALSO: Readonly<Record<string, readonly (keyof typeof queries)[]>> = {
  application: ['group'],
  group: ['application'],
  job: ['system'],
  registry: ['system'],
};

/** The resources that an event of this type affects; users and the audit log always, as users show memberships. */
function resourcesOf(type: string): (keyof typeof queries)[] {
  const subject = type.split('.')[0] ?? '';
  const named = subject in queries ? [subject as keyof typeof queries] : [];
  return [...named, ...(ALSO[subject] ?? []), 'user', 'audit'];
}

function visible(signal: AbortSignal): Promise<void> {
  if (document.visibilityState === 'visible') return Promise.resolve();
  return new Promise((resolve) => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true, signal });
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PAUSE);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
