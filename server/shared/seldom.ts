/**
 * Passes a call on, and for the next `millis` only counts the others: the next one that is passed on learns how many
 * there were. For what anybody can cause as often as they like.
 */
export function seldom<What>(
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
