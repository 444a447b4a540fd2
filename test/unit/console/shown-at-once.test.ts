import { expect, it } from 'vitest';
import { shownAtOnce } from '../../../console/src/shared/shown-at-once.ts';

interface Shown {
  readonly level: number;
}

/** As much of the cache as such a mutation uses. */
function createCache(shown: Shown | undefined) {
  const stale: unknown[] = [];
  const cache = {
    shown,
    stale,
    cancelQueries: async () => undefined,
    getQueryData: () => cache.shown,
    setQueryData: (_key: unknown, next: unknown) => {
      // As TanStack Query does.
      if (next !== undefined) cache.shown = next as Shown;
      return next;
    },
    invalidateQueries: async ({ queryKey }: { queryKey: unknown }) => void stale.push(queryKey),
  };
  return cache;
}

type Cache = Parameters<typeof shownAtOnce>[0];

it('what the service refuses is taken back, though the mutation got new options from the render in between', async () => {
  const cache = createCache({ level: 2 });
  const render = () =>
    shownAtOnce(cache as unknown as Cache, ['user'], (before: Shown, level: number) => ({
      ...before,
      level,
    }));
  const kept = await render().onMutate(7);
  expect(cache.shown).toEqual({ level: 7 });
  render().onError(new Error('refused'), 7, kept);
  expect(cache.shown).toEqual({ level: 2 });
  expect(cache.stale).toEqual([['user']]);
});

it('what was not loaded yet stays so', async () => {
  const cache = createCache(undefined);
  const options = shownAtOnce(cache as unknown as Cache, ['user'], (before: Shown) => before);
  options.onError(new Error('refused'), undefined, await options.onMutate(undefined));
  expect(cache.shown).toBeUndefined();
});
