import { setTimeout as pause } from 'node:timers/promises';
import { VoiceError } from './voice-error.ts';

/** Below the server's limit of 10 commands in 3 s (provider.md §3), because its clock differs from ours. */
const BURST = 8;
const WINDOW = 3_200;
/** Of these for work that can wait. The rest lets a look-up log in, choose the virtual server and ask, whatever else runs. */
const BURST_OF_JOBS = 5;
/** Maximum milliseconds to wait when the server reports flooding. */
const LONGEST_REST = 5_000;
/** Maximum milliseconds for which a ban is remembered, in case it is lifted early. */
const LONGEST_MEMORY = 60_000;

/** Keeps the commands of this process to one address below the server's flood limit. Times in milliseconds. */
export interface FloodLimit {
  /** Waits until one more command may be sent, and counts it; work that can wait leaves a part to other work. */
  waitToSend(canWait: boolean, signal: AbortSignal): Promise<void>;
  /** Counts a command that does not wait. */
  count(): void;
  /** The server reported flooding: pauses all commands. */
  rest(milliseconds: number): void;
  /** The server has banned us for a while. */
  shutOut(milliseconds: number): void;
  /**
   * @throws VoiceError while a known ban lasts
   */
  stayAway(): void;
}

const systemTime = {
  now: () => performance.now(),
  sleep: (milliseconds: number, signal: AbortSignal): Promise<unknown> =>
    pause(milliseconds, undefined, { signal }),
};

export function createFloodLimit(time = systemTime): FloodLimit {
  let sent: { readonly at: number; readonly canWait: boolean }[] = [];
  let resting = 0;
  let outUntil = 0;
  const count = (canWait = false) => {
    sent.push({ at: time.now(), canWait });
  };
  /** When fewer than `most` of these commands are within the window. */
  const below = (most: number, commands: typeof sent) =>
    (commands.at(-most)?.at ?? Number.NEGATIVE_INFINITY) + WINDOW;
  return {
    count: () => count(),
    rest(milliseconds) {
      resting = Math.max(resting, time.now() + Math.min(milliseconds, LONGEST_REST));
    },
    shutOut(milliseconds) {
      outUntil = time.now() + Math.min(milliseconds, LONGEST_MEMORY);
    },
    stayAway() {
      const left = outUntil - time.now();
      if (left <= 0) return;
      throw new VoiceError('banned', `the voice server wants no commands for ${Math.ceil(left / 1000)} s`);
    },
    async waitToSend(canWait, signal) {
      for (;;) {
        const now = time.now();
        sent = sent.filter(({ at }) => at > now - WINDOW);
        const ofJobs = sent.filter((command) => command.canWait);
        const free = Math.max(below(BURST, sent), canWait ? below(BURST_OF_JOBS, ofJobs) : 0);
        const wait = Math.max(free, resting) - now;
        if (wait <= 0) return count(canWait);
        await time.sleep(wait, signal);
      }
    },
  };
}

const limits = new Map<string, FloodLimit>();

/** The limit for an address, shared by all connections of this process, because the server counts by client address. */
export function floodLimitOf(address: string): FloodLimit {
  const limit = limits.get(address) ?? createFloodLimit();
  limits.set(address, limit);
  return limit;
}
