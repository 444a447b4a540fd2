import { setTimeout as pause } from 'node:timers/promises';
import { VoiceError } from './voice-error.ts';

/** Below the server's limit of 10 commands in 3 s (facts §3), for its clock is not ours. */
const BURST = 8;
const WINDOW = 3_200;
/** We wait at most that long when told to send less. */
const LONGEST_REST = 5_000;
/** A ban that was lifted early must not keep us away for its whole time. */
const LONGEST_MEMORY = 60_000;

/** Keeps what this process sends to one address below the server's flood limit. Times in milliseconds. */
export interface FloodLimit {
  /** Waits until one more command may be sent, and counts it. */
  turn(signal: AbortSignal): Promise<void>;
  /** Counts a command that does not wait. */
  count(): void;
  /** The server asks to be sent less. */
  rest(milliseconds: number): void;
  /** The server wants nothing from us for a while. */
  shutOut(milliseconds: number): void;
  /** @throws VoiceError while we are shut out, as far as we know */
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

/** The pace for an address: the server counts what comes from us, whichever part of us sends it. */
export function floodLimitOf(address: string): FloodLimit {
  const pace = paces.get(address) ?? createPace();
  paces.set(address, pace);
  return pace;
}
