import { setTimeout as pause } from 'node:timers/promises';
import { VoiceError } from './voice-error.ts';

/** Below the server's limit of 10 commands in 3 s (provider.md §3), because its clock differs from ours. */
const BURST = 8;
const WINDOW = 3_200;
/** Maximum milliseconds to wait when the server reports flooding. */
const LONGEST_REST = 5_000;
/** Maximum milliseconds for which a ban is remembered, in case it is lifted early. */
const LONGEST_MEMORY = 60_000;

/** Keeps the commands of this process to one address below the server's flood limit. Times in milliseconds. */
export interface FloodLimit {
  /** Waits until one more command may be sent, and counts it. */
  turn(signal: AbortSignal): Promise<void>;
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

function createPace(): FloodLimit {
  let sent: number[] = [];
  let resting = 0;
  let outUntil = 0;
  const count = () => {
    sent.push(performance.now());
  };
  return {
    count,
    rest(milliseconds) {
      resting = Math.max(resting, performance.now() + Math.min(milliseconds, LONGEST_REST));
    },
    shutOut(milliseconds) {
      outUntil = performance.now() + Math.min(milliseconds, LONGEST_MEMORY);
    },
    stayAway() {
      const left = outUntil - performance.now();
      if (left <= 0) return;
      throw new VoiceError('banned', `the voice server wants no commands for ${Math.ceil(left / 1000)} s`);
    },
    async turn(signal) {
      for (;;) {
        const now = performance.now();
        sent = sent.filter((time) => time > now - WINDOW);
        const free = (sent.at(-BURST) ?? Number.NEGATIVE_INFINITY) + WINDOW;
        const wait = Math.max(free, resting) - now;
        if (wait <= 0) return count();
        await pause(wait, undefined, { signal });
      }
    },
  };
}

const paces = new Map<string, FloodLimit>();

/** The limit for an address, shared by all connections of this process, because the server counts by client address. */
export function floodLimitOf(address: string): FloodLimit {
  const pace = paces.get(address) ?? createPace();
  paces.set(address, pace);
  return pace;
}
