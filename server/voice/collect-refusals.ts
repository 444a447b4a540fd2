import type { Services } from '../services/services.ts';
import { isRefusal } from '../voice-server/voice-error.ts';

/** Collects what the voice server refuses for one group or client, so that it does not end the work on the others. */
export interface Refusals {
  /**
   * @param what identifies it in the log
   * @throws VoiceError for every other failure
   */
  around(what: object, work: () => Promise<void>): Promise<void>;
  throwFirst(): void;
}

export function collectRefusals({ log }: Pick<Services, 'log'>, message: string): Refusals {
  const refusals: unknown[] = [];
  return {
    async around(what, work) {
      try {
        await work();
      } catch (error) {
        if (!isRefusal(error, 'any')) throw error;
        log.warn({ err: error, ...what }, message);
        refusals.push(error);
      }
    },
    throwFirst() {
      if (refusals.length > 0) throw refusals[0];
    },
  };
}
