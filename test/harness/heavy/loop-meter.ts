import { openSync, readSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What the event loop and the heap of a process went through while something was done. */
export interface Measured {
  /** Longest hold of the event loop in milliseconds, by the delay histogram of Node. */
  readonly delay: number;
  /** The same, without what this thread spent waiting for a processor that others had. */
  readonly held: number;
  /** Milliseconds that this thread waited for a processor in all; 0 where the system does not say. */
  readonly waited: number;
  /** Most that the heap and what hangs on it grew, in bytes. */
  readonly grown: number;
}

/** Watches the event loop of its own process, once a millisecond. */
export class LoopMeter {
  readonly #histogram = monitorEventLoopDelay({ resolution: 1 });
  readonly #scheduler = openScheduler();
  #last = { at: 0, waited: 0 };
  #began = { waited: 0, memory: 0 };
  #held = 0;
  #most = 0;
  #ticks = 0;
  #ticked: (() => void)[] = [];

  constructor() {
    this.#histogram.enable();
    this.#reset();
    setInterval(() => this.#tick(), 1);
  }

  /** What happened since the last call; from here on it is measured anew. */
  async take(collectGarbage: boolean): Promise<Measured> {
    await this.#nextTicks();
    const measured: Measured = {
      delay: this.#histogram.max / 1e6,
      held: this.#held,
      waited: this.#last.waited - this.#began.waited,
      grown: this.#most - this.#began.memory,
    };
    if (collectGarbage) globalThis.gc?.();
    this.#reset();
    // Both clocks have to have ticked before a hold can be seen.
    await this.#nextTicks();
    return measured;
  }

  #reset(): void {
    this.#histogram.reset();
    this.#last = { at: performance.now(), waited: this.#waited() };
    this.#held = 0;
    this.#most = memory();
    this.#began = { waited: this.#last.waited, memory: this.#most };
  }

  #tick(): void {
    const now = { at: performance.now(), waited: this.#waited() };
    this.#held = Math.max(this.#held, now.at - this.#last.at - (now.waited - this.#last.waited));
    this.#most = Math.max(this.#most, memory());
    this.#last = now;
    this.#ticks += 1;
    for (const resolve of this.#ticked.splice(0)) resolve();
  }

  async #nextTicks(): Promise<void> {
    const seen = this.#histogram.count;
    do await new Promise<void>((resolve) => this.#ticked.push(resolve));
    while (this.#histogram.count === seen);
  }

  /** The system's own account of this thread: time on a processor, time waiting for one, in nanoseconds. */
  #waited(): number {
    if (this.#scheduler === undefined) return 0;
    const buffer = Buffer.alloc(100);
    const length = readSync(this.#scheduler, buffer, 0, buffer.length, 0);
    return Number(buffer.toString('latin1', 0, length).split(' ')[1]) / 1e6;
  }
}

function openScheduler(): number | undefined {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch {
    return undefined;
  }
}

function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
