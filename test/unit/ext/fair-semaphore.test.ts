import { describe, expect, it } from 'vitest';
import { createFairSemaphore } from '../../../server/ext/fair-semaphore.ts';
import { DomainError } from '../../../server/shared/errors.ts';

const LONG = 60_000;
const turn = () => new Promise(setImmediate);

/** Who has come in so far, in this order. */
function watched(limits: { most: number; each: number; waitFor?: number }) {
  const semaphore = createFairSemaphore({ waitFor: LONG, ...limits });
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
  it('lets in so many at a time, first come, first served', async () => {
    const { came, enter } = watched({ most: 2, each: 2 });
    const [first] = [enter('a'), enter('b'), enter('c'), enter('d')];
    await turn();
    expect(came).toEqual(['a', 'b']);
    (await first)();
    await turn();
    expect(came).toEqual(['a', 'b', 'c']);
  });

  it('steps over a caller who has its share inside', async () => {
    const { came, enter } = watched({ most: 3, each: 2 });
    const leaving = enter('greedy');
    void [enter('greedy'), enter('greedy'), enter('greedy'), enter('other'), enter('last')];
    await turn();
    expect(came).toEqual(['greedy', 'greedy', 'other']);
    (await leaving)();
    await turn();
    expect(came).toEqual(['greedy', 'greedy', 'other', 'greedy']);
  });

  it('leaving twice is leaving once', async () => {
    const { came, enter } = watched({ most: 1, each: 1 });
    const leave = await enter('a');
    void [enter('b'), enter('c')];
    leave();
    leave();
    await turn();
    expect(came).toEqual(['a', 'b']);
  });

  it('who waits too long is told to come again', async () => {
    const { enter } = watched({ most: 1, each: 1, waitFor: 5 });
    await enter('a');
    const refused = enter('b');
    await expect(refused).rejects.toBeInstanceOf(DomainError);
    await expect(refused).rejects.toMatchObject({ code: 'forwarding_busy', retryAfter: 5 });
  });

  it('who goes away stands in nobody’s way', async () => {
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
