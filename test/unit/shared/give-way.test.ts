import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGiveWay, type EventLoop } from '../../../server/shared/give-way.ts';

/** An event loop whose time passes only as told, and of which others use a share whenever time passes. */
function simulated(share: number) {
  let [active, idle, ticks] = [0, 0, 0];
  const pass = (milliseconds: number) => {
    active += milliseconds * share;
    idle += milliseconds * (1 - share);
  };
  const loop: EventLoop = {
    times: () => ({ active, idle }),
    tick: async () => {
      ticks += 1;
    },
    sleep: async (milliseconds) => pass(milliseconds),
  };
  return {
    loop,
    pass,
    work: (milliseconds: number) => {
      active += milliseconds;
    },
    now: () => active + idle,
    ticks: () => ticks,
  };
}

describe('D3c: heavy work gives way to other requests', () => {
  it('on an idle loop it waits for one turn alone', async () => {
    const { loop, pass, now, ticks } = simulated(0);
    const giveWay = createGiveWay(loop);
    pass(10);
    await giveWay(25);
    await giveWay(25);
    expect([now(), ticks()]).toEqual([10, 2]);
  });

  it('until the loop was idle for as long as the work kept it busy', async () => {
    const { loop, work, now } = simulated(0);
    const giveWay = createGiveWay(loop);
    await giveWay(25);
    work(8);
    await giveWay(25);
    expect(now()).toBe(16);
  });

  it('no longer than it may, on a loop that others keep busy', async () => {
    const { loop, pass, now } = simulated(1);
    const giveWay = createGiveWay(loop);
    pass(10);
    await giveWay(24);
    expect(now()).toBe(10 + 24);
    pass(10);
    await giveWay(6);
    expect(now()).toBe(34 + 10 + 6);
  });

  it('takes half of the loop at most, whatever it costs, unless others take more', async () => {
    const cost = fc.integer({ min: 0, max: 12 });
    const share = fc.double({ min: 0, max: 0.4, noNaN: true });
    await fc.assert(
      fc.asyncProperty(fc.array(cost, { minLength: 1, maxLength: 30 }), share, async (costs, others) => {
        const { loop, work } = simulated(others);
        const giveWay = createGiveWay(loop);
        await giveWay(1_000);
        // All at once: they begin one after the other.
        await Promise.all(costs.map((milliseconds) => giveWay(1_000).then(() => work(milliseconds))));
        const { active, idle } = loop.times();
        expect(active - (costs.at(-1) ?? 0)).toBeLessThanOrEqual(idle + 1e-6);
      }),
    );
  });
});
