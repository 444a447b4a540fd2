import { describe, expect, it } from 'vitest';
import { createFloodLimit } from '../../../server/voice-server/flood-limit.ts';

const { signal } = new AbortController();

/** A limit whose time passes only where somebody waits, and how long everybody had to wait for each command. */
function stage() {
  let now = 0;
  const limit = createFloodLimit({
    now: () => now,
    sleep: async (milliseconds) => {
      now += milliseconds;
    },
  });
  return {
    async waits(commands: number, canWait: boolean): Promise<number[]> {
      const waits: number[] = [];
      for (let n = 0; n < commands; n += 1) {
        const before = now;
        await limit.waitToSend(canWait, signal);
        waits.push(now - before);
      }
      return waits;
    },
  };
}

describe('D42: the flood limit of the voice server', () => {
  it('eight commands at once, and the next one when the first is 3.2 s old', async () => {
    expect(await stage().waits(9, false)).toEqual([...Array(8).fill(0), 3_200]);
  });

  it('five of them for jobs, so that the three of a look-up wait for none of theirs', async () => {
    expect(await stage().waits(6, true)).toEqual([...Array(5).fill(0), 3_200]);
    const both = stage();
    await both.waits(5, true);
    expect(await both.waits(3, false)).toEqual([0, 0, 0]);
  });

  it('jobs wait for the commands of requests, too', async () => {
    const { waits } = stage();
    await waits(8, false);
    expect(await waits(1, true)).toEqual([3_200]);
  });
});
