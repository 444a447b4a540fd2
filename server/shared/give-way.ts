import { performance } from 'node:perf_hooks';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { createSemaphore } from './semaphore.ts';

/**
 * Spaces out heavy work that one request can cause a lot of, such as the pages of a long list: call it before each
 * piece. Pieces begin one at a time, each when the event loop has been busy for no more than a share of the time since
 * the former one, so that the rest of it is left for other requests (D3c).
 *
 * @param most milliseconds of waiting, so that the work goes on, if slowly, while other requests keep the loop busy
 */
export type GiveWay = (most: number) => Promise<void>;

/** Milliseconds that the event loop has been busy and idle so far. */
interface Times {
  readonly active: number;
  readonly idle: number;
}

/** The event loop, as far as it matters here. */
export interface EventLoop {
  times(): Times;
  /** Lets one turn of the event loop pass. */
  tick(): Promise<unknown>;
  sleep(milliseconds: number): Promise<unknown>;
}

/** Milliseconds between two looks at the event loop. */
const LOOK_EVERY = 2;

const thisLoop: EventLoop = { times: () => performance.eventLoopUtilization(), tick: setImmediate, sleep };

/** @param share of the event loop's time that the work may take, together with all other work: between 0 and 1 */
export function createGiveWay(share: number, loop: EventLoop = thisLoop): GiveWay {
  const oneAtATime = createSemaphore(1);
  let former = loop.times();
  return (most) =>
    oneAtATime(async () => {
      await loop.tick();
      const began = loop.times();
      for (let now = began; ; now = loop.times()) {
        const waited = passed(began, now);
        if (now.active - former.active <= share * passed(former, now) || waited >= most) {
          former = now;
          return;
        }
        await loop.sleep(LOOK_EVERY);
      }
    });
}

function passed(since: Times, now: Times): number {
  return now.active + now.idle - since.active - since.idle;
}

/** For all work of this process, as it shares one event loop: half of it is left for others. */
export const giveWay = createGiveWay(1 / 2);
/** For work that nobody waits for a moment of, and that others can cause without end: three quarters are left. */
export const giveMoreWay = createGiveWay(1 / 4);
