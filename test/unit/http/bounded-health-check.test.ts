import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inTime } from '../../../server/http/bounded-health-check.ts';

/** Checks that end when the test says so. */
function scripted() {
  const looks: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const look = () => new Promise<void>((resolve, reject) => void looks.push({ resolve, reject }));
  return { looks, check: inTime(look, 20) };
}

const GONE = new Error('gone');

describe('a check of something that may be busy', () => {
  it('waits for the first result, however long it takes', async () => {
    const { looks, check } = scripted();
    const first = check();
    const outcome = Promise.race([first.then(() => 'ready'), check().then(() => 'ready')]);
    setTimeout(() => looks[0]?.resolve(), 60);
    expect(await outcome).toBe('ready');
    expect(looks).toHaveLength(1);
  });

  it('returns the previous result, good or bad, when a later check takes long', async () => {
    const { looks, check } = scripted();
    const first = check();
    looks[0]?.resolve();
    await first;
    await expect(check()).resolves.toBeUndefined();
    looks[1]?.reject(GONE);
    await setImmediate();
    await expect(check()).rejects.toBe(GONE);
    expect(looks).toHaveLength(3);
  });

  it('returns its own result as soon as there is one', async () => {
    const { looks, check } = scripted();
    const first = check();
    looks[0]?.resolve();
    await first;
    const second = check();
    looks[1]?.reject(GONE);
    await expect(second).rejects.toBe(GONE);
    const third = check();
    looks[2]?.resolve();
    await expect(third).resolves.toBeUndefined();
  });

  it('shares one check among all concurrent callers', async () => {
    const { looks, check } = scripted();
    const all = Promise.all([check(), check(), check()]);
    looks[0]?.resolve();
    await all;
    expect(looks).toHaveLength(1);
  });
});
