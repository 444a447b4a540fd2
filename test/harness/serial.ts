import type { TestClock } from './clock.ts';

/** One of several parallel updates: its effect on a state, and its answer. */
export interface Step<State> {
  apply(before: State): State;
  readonly answered: State;
  /** Time of the change, strictly ascending because of {@link tick}. */
  readonly updatedOn: string;
}

/** Advances the clock by a millisecond at every reading, so that the order of changes is known. */
export function tick(clock: TestClock): void {
  const now = clock.now.bind(clock);
  clock.now = () => {
    clock.advance(1);
    return now();
  };
}

/**
 * Replays the steps in the order of their changes, those without a change after the one whose result they show. Each
 * answer must equal the step's effect on the state before it. Returns the last state; throws when an update was lost.
 */
export function replay<State>(start: State, steps: readonly Step<State>[]): State {
  const same = (one: State, other: State) => JSON.stringify(one) === JSON.stringify(other);
  const inOrder = [...steps].sort((a, b) =>
    a.updatedOn < b.updatedOn ? -1 : a.updatedOn > b.updatedOn ? 1 : 0,
  );
  let state = start;
  let rest = inOrder;
  while (rest[0] !== undefined) {
    const [{ updatedOn, answered }] = rest as [Step<State>];
    const together = rest.filter((step) => step.updatedOn === updatedOn);
    const before = state;
    const change = together.find((step) => same(step.apply(before), answered));
    if (change === undefined)
      throw new Error(`No update leads from ${JSON.stringify(before)} to ${JSON.stringify(answered)}`);
    for (const step of together) {
      const expected = step === change ? answered : step.apply(answered);
      if (!same(step.answered, expected))
        throw new Error(
          `An update was answered ${JSON.stringify(step.answered)}, not ${JSON.stringify(expected)}`,
        );
    }
    state = answered;
    rest = rest.slice(together.length);
  }
  return state;
}
