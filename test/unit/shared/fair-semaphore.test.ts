import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../server/shared/domain-error.ts';
import { createFairSemaphore, within } from '../../../server/shared/fair-semaphore.ts';

const LONG = 60_000;
const crowded = { code: 'forwarding_busy', detail: 'Too many.' } as const;
const tick = () => new Promise(setImmediate);

/** The callers that have entered so far, in order. */
function watched(limits: { most: number; each: number; queued?: number; waitFor?: number }) {
  const semaphore = createFairSemaphore({ waitFor: LONG, crowded, ...limits });
  const came: string[] = [];
  const enter = (caller: string, signal = new AbortController().signal) => {
    const entering = semaphore.enter(caller, () => signal);
    entering.then(
      () => came.push(caller),
      () => undefined,
    );
    return entering;
  };
  return { came, enter };
}

describe('a semaphore', () => {
  it('limits the number of holders, first in, first out', async () => {
    const { came, enter } = watched({ most: 2, each: 2 });
    const [first] = [enter('a'), enter('b'), enter('c'), enter('d')];
    await tick();
    expect(came).toEqual(['a', 'b']);
    (await first)();
    await tick();
    expect(came).toEqual(['a', 'b', 'c']);
  });

  it('skips a caller at its own limit', async () => {
    const { came, enter } = watched({ most: 3, each: 2 });
    const leaving = enter('greedy');
    void [enter('greedy'), enter('greedy'), enter('greedy'), enter('other'), enter('last')];
    await tick();
    expect(came).toEqual(['greedy', 'greedy', 'other']);
    (await leaving)();
    await tick();
    expect(came).toEqual(['greedy', 'greedy', 'other', 'last']);
  });

  it('lets callers take turns, whoever waits with how much', async () => {
    const { came, enter } = watched({ most: 1, each: 1 });
    const crowd = ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'd', 'd'].map((caller) => enter(caller));
    for (const entering of [...crowd, enter('e')]) {
      void entering.then((leave) => setImmediate(leave));
    }
    await Promise.all(crowd);
    expect(came.join('')).toBe('abcdeabdab');
  });

  it('lets callers take turns whose number within is not limited, too', async () => {
    const { came, enter } = watched({ most: 2, each: 2 });
    const [first, second] = [enter('a'), enter('a'), enter('a'), enter('a'), enter('b'), enter('b')];
    (await first)();
    (await second)();
    await tick();
    expect(came.join('')).toBe('aaba');
  });

  it('refuses what a caller waits with beyond its maximum, and nobody else', async () => {
    const { came, enter } = watched({ most: 1, each: 1, queued: 2 });
    const leave = await enter('a');
    const [, , refused] = [enter('a'), enter('a'), enter('a')];
    await expect(refused).rejects.toMatchObject({ code: 'too_many_waiting', retryAfter: 5 });
    void enter('b');
    leave();
    await tick();
    expect(came.join('')).toBe('ab');
  });

  it('releasing twice has the effect of releasing once', async () => {
    const { came, enter } = watched({ most: 1, each: 1 });
    const leave = await enter('a');
    void [enter('b'), enter('c')];
    leave();
    leave();
    await tick();
    expect(came).toEqual(['a', 'b']);
  });

  it('a wait that takes too long fails with Retry-After', async () => {
    const { enter } = watched({ most: 1, each: 1, waitFor: 5 });
    await enter('a');
    const refused = enter('b');
    await expect(refused).rejects.toBeInstanceOf(DomainError);
    await expect(refused).rejects.toMatchObject({ code: 'forwarding_busy', retryAfter: 5 });
  });

  it('an aborted wait does not block others', async () => {
    const { came, enter } = watched({ most: 1, each: 1 });
    const leave = await enter('a');
    const gone = new AbortController();
    const refused = enter('b', gone.signal);
    const third = enter('c');
    gone.abort(new Error('gone'));
    await expect(refused).rejects.toThrow('gone');
    await expect(enter('d', gone.signal)).rejects.toThrow('gone');
    leave();
    await third;
    expect(came).toEqual(['a', 'c']);
  });
});

describe('a semaphore within another', () => {
  const limits = { most: 2, each: 2, waitFor: LONG, crowded };
  const present = () => new AbortController().signal;

  it('has no more holders than both allow, and takes turns with the others in it', async () => {
    const outer = createFairSemaphore(limits);
    const [one, other] = ['one', 'other'].map((name) =>
      within(outer, name, createFairSemaphore({ ...limits, most: 3, each: 3 })),
    );
    const came: string[] = [];
    const enter = async (name: string, semaphore = one) => {
      const leave = await semaphore?.enter(name, present);
      came.push(name);
      return leave;
    };
    const all = [enter('a'), enter('b'), enter('c'), enter('d', other), enter('e', other)];
    await tick();
    expect(came).toEqual(['a', 'b']);
    for (const entering of all.slice(0, 2)) (await entering)?.();
    await tick();
    expect([...came].sort()).toEqual(['a', 'b', 'c', 'd']);
    for (const entering of all) (await entering)?.();
    expect(came.at(-1)).toBe('e');
  });

  it('keeps no permit of a wait for the other that is given up', async () => {
    const outer = createFairSemaphore({ ...limits, most: 1 });
    const leave = await outer.enter('somebody', present);
    const inner = within(outer, 'this', createFairSemaphore({ ...limits, most: 1 }));
    const gone = new AbortController();
    const refused = inner.enter('a', () => gone.signal);
    await tick();
    gone.abort(new Error('gone'));
    await expect(refused).rejects.toThrow('gone');
    leave();
    (await inner.enter('b', present))();
    (await inner.enter('c', present))();
  });
});
