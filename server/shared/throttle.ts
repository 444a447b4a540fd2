/**
 * Throttles a function: after a call, further calls within `millis` are only counted, and the next one gets that count.
 * For events that clients can cause at will.
 */
export function throttled<What>(
  millis: number,
  tell: (what: What, untold: number) => void,
): (what: What) => void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  let untold = 0;
  return (what) => {
    const now = performance.now();
    if (now < quietUntil) {
      untold += 1;
      return;
    }
    quietUntil = now + millis;
    tell(what, untold);
    untold = 0;
  };
}
