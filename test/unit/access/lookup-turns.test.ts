import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLookupTurns, type LookupTurns } from '../../../server/access/lookup-turns.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Claims = Parameters<LookupTurns>[0];
const ofUser = (ownerId: number, uuid = 'a token'): Claims => ({ kind: 'use', uuid, ownerId });
const ofApplication = (uuid: string): Claims => ({ kind: 'per', uuid, ownerId: 0 });

/** Lookups that end as told; the callers whose lookups have begun so far, in order. */
function watched() {
  const inTurn = createLookupTurns(() => Date.now());
  const began: (number | string)[] = [];
  const ends: { readonly who: number | string; readonly end: () => void }[] = [];
  const ask = (claims: Claims) => {
    const who = claims.kind === 'use' ? claims.ownerId : claims.uuid;
    return inTurn(claims, () => {
      began.push(who);
      return new Promise<string>((resolve) => ends.push({ who, end: () => resolve(`answer to ${who}`) }));
    });
  };
  const endOf = async (who: number | string) => {
    const [ending] = ends.splice(
      ends.findIndex((one) => one.who === who),
      1,
    );
    ending?.end();
    await vi.advanceTimersByTimeAsync(0);
  };
  const others = (count: number) => {
    for (let n = 0; n < count; n += 1) void ask(ofApplication(`other ${n}`));
    began.length = 0;
  };
  return { inTurn, ask, began, endOf, others };
}

const times = <T>(count: number, what: T): T[] => Array.from({ length: count }, () => what);

describe('D3c: the requests of one caller take turns with those of others', () => {
  it('of many at once two begin, where others are there, and the next one with each end', async () => {
    const { ask, began, endOf, others } = watched();
    others(30);
    for (let n = 0; n < 5; n += 1) void ask(ofUser(1));
    void ask(ofUser(2));
    expect(began).toEqual([1, 1, 2]);
    await endOf(1);
    await endOf(1);
    expect(began).toEqual([1, 1, 2, 1, 1]);
  });

  it('a caller alone does not wait', () => {
    const { ask, began } = watched();
    for (let n = 0; n < 100; n += 1) void ask(ofUser(1));
    expect(began).toHaveLength(100);
  });

  it('two callers have half of the lookups each', () => {
    const { ask, began, others } = watched();
    others(1);
    for (let n = 0; n < 100; n += 1) void ask(ofUser(1));
    expect(began).toEqual(times(8, 1));
  });

  it('others that were there seconds ago do not count', async () => {
    const { ask, began, others } = watched();
    others(30);
    await vi.advanceTimersByTimeAsync(2_000);
    for (let n = 0; n < 100; n += 1) void ask(ofUser(1));
    expect(began).toHaveLength(100);
  });

  it('others that come do count for a caller that was alone, and all that waits begins once they are gone', async () => {
    const { ask, began, endOf, others } = watched();
    void ask(ofUser(1));
    others(30);
    for (let n = 0; n < 50; n += 1) void ask(ofUser(1));
    expect(began).toEqual([1]);
    vi.setSystemTime(Date.now() + 2_000);
    await endOf(1);
    expect(began).toEqual(times(50, 1));
  });

  it('the tokens of a user count together, those of applications each by itself', () => {
    const { ask, began, others } = watched();
    others(30);
    for (const uuid of ['one', 'another']) {
      for (let n = 0; n < 3; n += 1) void ask(ofUser(1, uuid));
      for (let n = 0; n < 3; n += 1) void ask(ofApplication(uuid));
    }
    expect(began).toEqual([1, 1, 'one', 'one', 'another', 'another']);
  });

  it('nothing is refused, however long a lookup takes: the others begin after a quarter of a second', async () => {
    const { ask, began, others } = watched();
    others(30);
    for (let n = 0; n < 30; n += 1) void ask(ofUser(1));
    await vi.advanceTimersByTimeAsync(249);
    expect(began).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(1);
    expect(began).toEqual(times(30, 1));
  });

  it('a lookup that fails makes room like any other, and says so', async () => {
    const { inTurn, ask, began, others } = watched();
    others(30);
    void ask(ofUser(1));
    const failing = inTurn(ofUser(1), () => Promise.reject(new Error('revoked')));
    void ask(ofUser(1));
    expect(began).toEqual([1]);
    await expect(failing).rejects.toThrow('revoked');
    expect(began).toEqual([1, 1]);
  });

  it('whoever asks how often, everybody is answered, each caller in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ who: fc.integer({ min: 1, max: 6 }), takes: fc.integer({ min: 0, max: 40 }) }), {
          maxLength: 60,
        }),
        async (asked) => {
          const inTurn = createLookupTurns(() => Date.now());
          const began = new Map<number, number[]>();
          const answers = asked.map(({ who, takes }, n) =>
            inTurn(ofUser(who), async () => {
              began.set(who, [...(began.get(who) ?? []), n]);
              if (takes > 0) await new Promise((resolve) => setTimeout(resolve, takes));
              return n;
            }),
          );
          await vi.advanceTimersByTimeAsync(asked.length * 40);
          expect(await Promise.all(answers)).toEqual(asked.map((_, n) => n));
          for (const order of began.values()) expect(order).toEqual(order.toSorted((a, b) => a - b));
        },
      ),
    );
  });
});
