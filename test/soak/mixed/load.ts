import { setTimeout as sleep } from 'node:timers/promises';
import { type Act, statusOf } from './act.ts';
import { acts } from './acts/index.ts';
import { pick, type Scene } from './scene.ts';

/** Acts under way at the same time; more are not begun. */
const MOST_AT_ONCE = 250;
/** Those who follow the events by long polls; milliseconds between two of them, and seconds that one waits. */
const FOLLOWERS = 2;
const BETWEEN = 2_000;
const WAIT = 20;
/** What the failures of the world outside are answered with: 429 to whom they are charged. */
const FAILED_OUTSIDE = [429, 502, 503, 504];

/** An act that failed although the world outside was not needed, or is no excuse. */
export interface Failure {
  readonly act: string;
  readonly status: number | undefined;
  readonly message: string;
  /** By `performance.now`. */
  readonly began: number;
  readonly ended: number;
}

export interface Load {
  /** How often each act ended how: `done`, a status, or words. */
  readonly endings: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly failures: readonly Failure[];
  /** Acts that were not begun, because too many were under way. */
  readonly passedOver: number;
  stop(): Promise<void>;
}

/** Does everything at its rate, whether or not what was done before has ended. */
export function startLoad(scene: Scene): Load {
  const endings = new Map<string, Map<string, number>>();
  const failures: Failure[] = [];
  const atWork = new Set<Promise<void>>();
  const total = acts.reduce((sum, { rate }) => sum + rate, 0);
  let passedOver = 0;
  let going = true;

  function count(act: string, ending: string): void {
    const counts = endings.get(act) ?? new Map<string, number>();
    counts.set(ending, (counts.get(ending) ?? 0) + 1);
    endings.set(act, counts);
  }

  async function perform({ name, outside = false, run }: Act): Promise<void> {
    const began = performance.now();
    try {
      await run(scene);
      count(name, 'done');
    } catch (error) {
      const status = statusOf(error);
      count(name, String(status ?? error));
      if (outside && status !== undefined && FAILED_OUTSIDE.includes(status)) return;
      const message = error instanceof Error ? error.message : String(error);
      failures.push({ act: name, status, message, began, ended: performance.now() });
    }
  }

  function next(): Act {
    let left = scene.random() * total;
    return acts.find(({ rate }) => {
      left -= rate;
      return left < 0;
    }) as Act;
  }

  async function actUntilStopped(): Promise<void> {
    let due = performance.now();
    while (going) {
      if (atWork.size >= MOST_AT_ONCE) passedOver += 1;
      else {
        const work = perform(next());
        atWork.add(work);
        void work.then(() => atWork.delete(work));
      }
      due += 1_000 / total;
      const early = due - performance.now();
      if (early > 0) await sleep(early);
    }
  }

  async function follow(follower: number): Promise<void> {
    const { castellan } = pick(scene, scene.people);
    const { event } = follower === 0 ? scene.root : castellan;
    let after: number | undefined;
    const poll: Act = {
      name: 'follow events',
      rate: 0,
      async run() {
        const query = { ...(after !== undefined && { after }), limit: 200, wait: WAIT };
        after = Number((await event.list({ query })).cursor);
      },
    };
    while (going) {
      await perform(poll);
      await sleep(BETWEEN);
    }
  }

  const loops = [actUntilStopped(), ...Array.from({ length: FOLLOWERS }, (_, n) => follow(n))];
  return {
    endings,
    failures,
    get passedOver() {
      return passedOver;
    },
    async stop() {
      going = false;
      await Promise.all(loops);
      await Promise.all(atWork);
    },
  };
}
