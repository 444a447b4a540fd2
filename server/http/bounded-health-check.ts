import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds after which a check is answered with the previous result. */
const PATIENCE = 500;

/**
 * Makes a health check answer in time: all callers share one check at a time, and if it takes long they get the result
 * of the previous one. A slow dependency is not a dead one: taking a busy process out makes the others busier.
 */
export function inTime(look: () => Promise<void>, patience = PATIENCE): () => Promise<void> {
  let before: Promise<void> | undefined;
  let looking: Promise<void> | undefined;
  const begin = () => {
    const begun = look();
    const end = () => {
      before = begun;
      looking = undefined;
    };
    begun.then(end, end);
    return begun;
  };
  return async () => {
    looking ??= begin();
    if (before === undefined) return looking;
    return Promise.race([looking, sleep(patience, undefined, { ref: false }).then(() => before)]);
  };
}
