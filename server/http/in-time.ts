import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that a check waits: those who check would take a longer wait for a no. */
const PATIENCE = 500;

/**
 * Answers checks by a look at something that may be busy: one look at a time for all who ask, and where it takes long the
 * outcome of the one before counts. What is late is not gone: taking a busy process out makes the others busier.
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
