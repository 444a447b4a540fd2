import { performance } from 'node:perf_hooks';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { createSemaphore } from './semaphore.ts';

/**
 * Spaces out heavy work that one request can cause a lot of, such as the pages of a long list: call it before each
 * piece. Pieces begin one at a time, each when the event loop has been idle for as long as it was busy since the former
 * one, so that half of it is left for other requests (D3c).
 *
 * @param most milliseconds of waiting, so that the work goes on, if slowly, while other requests keep the loop busy
 */
export type GiveWay = (most: number) => Promise<void>;

/** The event loop, as far as it matters here. */
export interface EventLoop {
  /** Milliseconds that the event loop has been busy and idle so far. */
  times(): { readonly active: number; readonly idle: number };
  /** Lets one turn of the event loop pass. */
  tick(): Promise<unknown>;
  sleep(milliseconds: number): Promise<unknown>;
}

/** Milliseconds between two looks at the event loop. */
const LOOK_EVERY = 2;

const thisLoop: EventLoop = { times: () => performance.eventLoopUtilization(), tick: setImmediate, sleep };

export function createGiveWay(loop: EventLoop = thisLoop): GiveWay {
  const oneAtATime = createSemaphore(1);
  let former = loop.times();
  return (most) =>
    oneAtATime(async () => {
      await loop.tick();
      const began = loop.times();
      for (let now = began; ; now = loop.times()) {
        const waited = now.active + now.idle - began.active - began.idle;
        if (now.active - former.active <= now.idle - former.idle || waited >= most) {
          former = now;
          return;
        }
        await loop.sleep(LOOK_EVERY);
      }
    });
}

/** For all work of this process, as it shares one event loop. */
export const giveWay = createGiveWay();
