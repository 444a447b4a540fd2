import type { TestClock } from './clock.ts';

/** One of several updates that ran in parallel: what it does to a state, and what it was answered. */
export interface Step<State> {
  apply(before: State): State;
  readonly answered: State;
  /** Strictly later for a later change; see {@link tick}. */
  readonly updatedOn: string;
}

/** Lets every look at the clock be a millisecond later than the one before, so that changes can be told in order. */
export function tick(clock: TestClock): void {
  const now = clock.now.bind(clock);
  clock.now = () => {
    clock.advance(1);
    return now();
  };
}

/**
 * Replays the steps one after another, those that changed nothing after the one whose result they saw: each answer
 * must be what the step makes of the state before it. Returns the last state; throws where something was lost.
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
