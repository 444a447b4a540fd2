import { CastellanError } from '@castellan/sdk';
import { useEffect } from 'react';
import { castellan, forget, queries } from './api.ts';
import { currentToken } from './session.ts';

/** Seconds for which the service holds an answer back until something happens. */
const WAIT = 25;
/** Milliseconds after which a feed that failed is asked again. */
const PAUSE = 10_000;

/** Keeps what is on the screen true: what events tell of is asked for anew. Only while somebody can see it. */
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
      // After too long an absence the feed begins anew, and so does everything that is shown.
      if (error instanceof CastellanError && error.code === 'resync') cursor = undefined;
      else await pause(signal);
    }
  }
}

/** The position that lists are read at. */
async function present(signal: AbortSignal): Promise<number> {
  const { headers } = await castellan.group.list.answer({ signal });
  return Number(headers.get('castellan-position') ?? 0);
}

/** What shows an event besides the resource that it is about. */
const ALSO: Readonly<Record<string, readonly (keyof typeof queries)[]>> = {
  application: ['group'],
  group: ['application'],
  job: ['system'],
  registry: ['system'],
};

/** The subject of an event is the resource that it changed; who is a member of what shows in users, too. */
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
