import { openSync, readSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Measurements of a process's event loop and heap. */
export interface Measured {
  /** Longest block of the event loop in milliseconds, by Node's delay histogram. */
  readonly delay: number;
  /** The same without the time for which this thread waited for a CPU. */
  readonly held: number;
  /** Milliseconds for which this thread waited for a CPU in total; 0 if the system does not report it. */
  readonly waited: number;
  /** Maximum growth of the heap and of external memory in bytes. */
  readonly grown: number;
}

/** Measures the event loop of its own process once a millisecond. */
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

  /** Returns the measurements since the last call, and starts again. */
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
    // A block can be measured only when both clocks have ticked before.
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

  /** The system's statistics of this thread: time on a CPU and time waiting for one, in nanoseconds. */
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
