import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAllPages } from '../../../server/ext/read-pages.ts';
import type { ProviderAnswer } from '../../../server/provider/answer.ts';
import { type ErrorAllowance, errorsOfOneCall } from '../../../server/provider/error-budget.ts';
import { ProviderError } from '../../../server/provider/http.ts';
import { DomainError } from '../../../server/shared/domain-error.ts';
import { madeAnswer } from '../../harness/provider.ts';

function page(data: unknown, count: number, date = 'same', status = 200): ProviderAnswer {
  return madeAnswer(status, data, { 'x-pages': String(count), 'last-modified': date });
}

/** All pages joined in memory. */
async function allPages(
  ask: Parameters<typeof readAllPages>[0],
  allowance: ErrorAllowance = errorsOfOneCall(),
): Promise<Pick<ProviderAnswer, 'status' | 'data'>> {
  let pages: unknown[] = [];
  const sink = {
    store: async (number: number, _count: number, answer: ProviderAnswer) => {
      pages[number - 1] = answer.data;
    },
    clear: async () => {
      pages = [];
    },
  };
  const all = await readAllPages(ask, sink, allowance);
  return all.kind === 'single' ? all.answer : { status: all.first.status, data: pages.flat() };
}

describe('D32: all_pages', () => {
  it('joins any number of pages in order, whatever order they come in', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.integer()), { minLength: 1, maxLength: 40 }),
        fc.infiniteStream(fc.nat(3)),
        async (lists, ticks) => {
          const ask = async (number: number) => {
            for (let left = ticks.next().value; left > 0; left -= 1) await Promise.resolve();
            return page(lists[number - 1], lists.length);
          };
          expect((await allPages(ask)).data).toEqual(lists.flat());
        },
      ),
      { numRuns: 200 },
    );
  });

  it('uses the number of pages from the first page if the others do not have it', async () => {
    const pages = [[1], [2], [3]];
    const ask = async (number: number) =>
      madeAnswer(200, pages[number - 1], number === 1 ? { 'x-pages': '3' } : {});
    expect((await allPages(ask)).data).toEqual([1, 2, 3]);
  });

  it('fetches at most eight pages at once, and each once', async () => {
    const asked: number[] = [];
    let open = 0;
    let most = 0;
    await allPages(async (number) => {
      asked.push(number);
      most = Math.max(most, ++open);
      await new Promise(setImmediate);
      open -= 1;
      return page([number], 50);
    });
    expect(most).toBe(8);
    expect(asked.sort((one, other) => one - other)).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
  });

  it('reads pages of different snapshots anew, past the cache', async () => {
    const answer = await allPages(async (number, anew) =>
      page([anew ? 'new' : 'old'], 3, anew || number < 3 ? 'new' : 'old'),
    );
    expect(answer.data).toEqual(['new', 'new', 'new']);
  });

  it('joins pages with different dates', async () => {
    const answer = await allPages(async (number) => page([number], 3, `date ${number}`));
    expect(answer.data).toEqual([1, 2, 3]);
  });

  it('starts again when the list became shorter, and gives up with a 502 when it keeps changing', async () => {
    let count = 3;
    const shrinking = async (number: number) => {
      if (number === 3 && count === 3) {
        count = 2;
        return page({ error: 'Requested page does not exist!' }, 2, 'same', 404);
      }
      return page([number], count);
    };
    expect((await allPages(shrinking)).data).toEqual([1, 2]);
    const restless = allPages(async (number) => page([number], number === 1 ? 2 : 9));
    await expect(restless).rejects.toMatchObject({ code: 'provider_pages_changed' });
    await expect(restless).rejects.toBeInstanceOf(DomainError);
  });

  it('D33: ends at the first refusal, with few further requests', async () => {
    let asked = 0;
    const answer = await allPages(async (number) => {
      asked += 1;
      return number === 2 ? page({ error: 'Forbidden' }, 500, 'same', 403) : page([number], 500);
    });
    expect(answer).toMatchObject({ status: 403, data: { error: 'Forbidden' } });
    expect(asked).toBeLessThan(20);
  });

  it('D33: asks for no more pages at once than may fail, and not again when none may', async () => {
    const allowance = { left: 3 };
    let most = 0;
    let open = 0;
    const reading = allPages(async (number) => {
      most = Math.max(most, ++open);
      await new Promise(setImmediate);
      open -= 1;
      if (number === 1) return page([1], 50);
      allowance.left -= 1;
      return page({ error: 'Requested page does not exist!' }, 50, 'same', 404);
    }, allowance);
    await expect(reading).rejects.toMatchObject({ code: 'provider_pages_changed' });
    expect([most, allowance.left]).toEqual([3, 0]);
  });

  it('D33: tells what the provider did, not that the errors of the call are used up by it', async () => {
    const ask = async (number: number) => {
      if (number === 1) return page([1], 3);
      if (number === 3) throw new ProviderError('caller-exhausted', 'this call has caused too many errors');
      // Its last attempt was under way when page 3 could not be asked for any more.
      await new Promise(setImmediate);
      throw new ProviderError('unusable', 'the provider answered 500');
    };
    await expect(allPages(ask)).rejects.toMatchObject({ fault: 'unusable' });
  });

  it('returns an answer that is no list, or has a single page, unchanged', async () => {
    expect(await allPages(async () => page(12.5, 1))).toMatchObject({ data: 12.5 });
    expect(await allPages(async () => page({ a: [1] }, 7))).toMatchObject({ data: { a: [1] } });
    const store = () => expect.unreachable();
    const single = page([1], 1);
    expect(await readAllPages(async () => single, { store, clear: store }, errorsOfOneCall())).toEqual({
      kind: 'single',
      answer: single,
    });
  });

  it.each([
    ['that is no list', page({}, 3)],
    ['that is empty', page(null, 3, 'same', 204)],
    ['that is accepted for later', page([2], 3, 'same', 202)],
  ])('D30: a page %s counts as a failure of the provider', async (_, odd) => {
    await expect(allPages(async (number) => (number === 2 ? odd : page([number], 3)))).rejects.toMatchObject({
      fault: 'unusable',
    });
  });

  it('a failure ends it when all requested pages have arrived, so that nothing is stored afterwards', async () => {
    let kept = 0;
    let ended = false;
    const reading = readAllPages(
      async (number) => {
        if (number === 1) return page([number], 500);
        // Fails while the maximum number of pages is being requested.
        await new Promise(setImmediate);
        if (number === 2) throw new Error('failed');
        await new Promise((resolve) => setTimeout(resolve, 5 * number));
        return page([number], 500);
      },
      {
        store: async () => {
          expect(ended).toBe(false);
          kept += 1;
        },
        clear: async () => undefined,
      },
      errorsOfOneCall(),
    );
    await expect(reading).rejects.toThrow('failed');
    ended = true;
    expect(kept).toBe(8);
  });
});
