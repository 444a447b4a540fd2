import { readdir, readlink } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJoined } from '../../../server/ext/joined-answer.ts';
import { answerOf } from '../../../server/provider/answer.ts';
import { DomainError } from '../../../server/shared/domain-error.ts';
import { type Body, bodyOf } from '../../../server/shared/json-body.ts';

const MIB = 1024 * 1024;
const tooLarge = () => new DomainError('invalid_request', 'too large');

/** Large bodies come as bytes, small ones as text. */
function page(text: string, body: Body = bodyOf(Buffer.from(text))) {
  return answerOf({ status: 200, headers: { etag: '"1"', 'set-cookie': 'x' }, body });
}

/** The open temporary files of this process. */
async function openFiles(): Promise<number> {
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return links.filter((link) => /castellan-[\w-]+ \(deleted\)$/.test(link)).length;
}

describe('D30, D32: joining pages', () => {
  it('of any JSON, with any white space, stored in any order', async () => {
    const spaces = fc.stringMatching(/^[ \n\r\t]{0,3}$/);
    const text = fc
      .tuple(fc.array(fc.jsonValue()), spaces, spaces)
      .map(([list, before, after]) => [
        list,
        `${before}[${after}${JSON.stringify(list).slice(1, -1)}${before}]${after}`,
      ]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 6 }),
        fc.infiniteStream(fc.nat()),
        async (pages, order) => {
          const joined = createJoined({ withIds: false, tooLarge });
          const keys = pages.map(() => order.next().value as number);
          const shuffled = [...pages.keys()].sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
          await Promise.all(
            shuffled.map((n) => {
              const text = pages[n]?.[1] as string;
              return joined.store(n + 1, pages.length, page(text, n % 2 === 0 ? text : Buffer.from(text)));
            }),
          );
          const { bytes, stream } = joined.toStream(page(''), { 7: 'seven "7"' });
          const whole = await buffer(stream);
          await joined.close();
          expect(whole).toHaveLength(bytes);
          expect(JSON.parse(whole.toString())).toEqual({
            data: JSON.parse(JSON.stringify(pages.flatMap(([list]) => list))),
            headers: { etag: '"1"' },
            id_annotations: { 7: 'seven "7"' },
            status_code: 200,
          });
        },
      ),
      { numRuns: 100 },
    );
  });

  it('D30: a list that cannot fit into 64 MiB is refused after the first page', async () => {
    const joined = createJoined({ withIds: false, tooLarge });
    const full = page(`["${'x'.repeat(MIB)}"]`);
    await expect(joined.store(1, 130, full)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('D30: one of pages of a size is refused after the first few, unless it fits', async () => {
    const full = page(`["${'x'.repeat(MIB)}"]`);
    const storedOf = async (count: number) => {
      const joined = createJoined({ withIds: false, tooLarge });
      let stored = 0;
      try {
        for (; stored < count; stored += 1) await joined.store(stored + 1, count, full);
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_request' });
      }
      await joined.close();
      return stored;
    };
    expect(await storedOf(100)).toBe(1);
    expect(await storedOf(72)).toBe(9);
    expect(await storedOf(63)).toBe(63);
  });

  it('D30: one whose first page is the largest is not', async () => {
    const joined = createJoined({ withIds: false, tooLarge });
    await joined.store(1, 100, page(`["${'x'.repeat(MIB)}"]`));
    for (let n = 2; n <= 100; n += 1) await joined.store(n, 100, page(`["${'x'.repeat(MIB / 2)}"]`));
    expect(joined.toStream(page(''), {}).bytes).toBeGreaterThan(50 * MIB);
    await joined.close();
  });

  it('D30: so is one that turns out to be larger, and an endless one', async () => {
    const joined = createJoined({ withIds: false, tooLarge });
    await joined.store(1, 3, page('[1]'));
    await joined.store(2, 3, page(`["${'x'.repeat(33 * MIB)}"]`));
    await expect(joined.store(3, 3, page(`["${'x'.repeat(32 * MIB)}"]`))).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await joined.close();
    const endless = createJoined({ withIds: false, tooLarge });
    await expect(endless.store(1, 1_001, page('[1]'))).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('discarded pages do not count', async () => {
    const joined = createJoined({ withIds: true, tooLarge });
    await joined.store(1, 2, page(`[{"type_id":5,"x":"${'x'.repeat(40 * MIB)}"}]`));
    await joined.clear();
    await joined.store(1, 2, page('[{"type_id":6}]'));
    await joined.store(2, 2, page(`["${'x'.repeat(40 * MIB)}"]`));
    expect([...joined.ids]).toEqual([6]);
    await joined.clear();
    const full = page(`["${'x'.repeat(MIB)}"]`);
    await expect(joined.store(1, 130, full)).rejects.toMatchObject({ code: 'invalid_request' });
    await joined.close();
  });

  it.skipIf(process.platform !== 'linux')(
    'lie in a file without a name, which is gone in the end',
    async () => {
      const before = await openFiles();
      const joined = createJoined({ withIds: false, tooLarge });
      await joined.close();
      await joined.store(1, 2, page('[1]'));
      expect(await openFiles()).toBe(before + 1);
      await joined.close();
      expect(await openFiles()).toBe(before);
    },
  );
});
