import { describe, expect, it } from 'vitest';
import { sharedLookup } from '../../../server/shared/shared-lookup.ts';

/** Look-ups that end when the test says so. */
function controlled() {
  const looks: PromiseWithResolversOf<number>[] = [];
  const look = () => {
    let end: PromiseWithResolversOf<number> | undefined;
    const promise = new Promise<number>((resolve, reject) => {
      end = { resolve, reject };
    });
    looks.push(end as PromiseWithResolversOf<number>);
    return promise;
  };
  return { looks, shared: sharedLookup(look) };
}
interface PromiseWithResolversOf<T> {
  resolve(value: T): void;
  reject(error: Error): void;
}

describe('a shared look-up', () => {
  it('starts after its call: callers that arrive while one runs share the next one', async () => {
    const { looks, shared } = controlled();
    const first = shared();
    const [second, third] = [shared(), shared()];
    expect(looks).toHaveLength(1);
    looks[0]?.resolve(1);
    expect(await first).toBe(1);
    expect(looks).toHaveLength(2);
    const fourth = shared();
    looks[1]?.resolve(2);
    expect(await Promise.all([second, third])).toEqual([2, 2]);
    looks[2]?.resolve(3);
    expect(await fourth).toBe(3);
    expect(looks).toHaveLength(3);
  });

  it('a failure is passed to all that share it, and the next look-up starts again', async () => {
    const { looks, shared } = controlled();
    const [first, second] = [shared(), shared()];
    looks[0]?.reject(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    looks[1]?.reject(new Error('still gone'));
    await expect(second).rejects.toThrow('still gone');
    const third = shared();
    looks[2]?.resolve(3);
    expect(await third).toBe(3);
  });
});
