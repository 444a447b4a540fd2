import type { RequestHandler } from 'express';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { onDemand } from '../../../server/http/on-demand.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const handled = async (handler: RequestHandler) =>
  new Promise((resolve) => handler({} as never, { locals: {} } as never, resolve));
const answers: RequestHandler = (_req, _res, next) => next('handled');

it('a handler is loaded once, for its first request', async () => {
  const load = vi.fn(async () => answers);
  const handler = onDemand(load);
  expect(load).not.toHaveBeenCalled();
  expect(await Promise.all([handled(handler), handled(handler)])).toEqual(['handled', 'handled']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(load).toHaveBeenCalledTimes(1);
});

it('without a request it is loaded shortly after the start, as Node tries to load a module once', async () => {
  const load = vi.fn(async () => answers);
  onDemand(load);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(load).toHaveBeenCalledTimes(1);
});

it('a failure to load it is the error of the request, and what the handler throws, too', async () => {
  const lost = new Error('lost');
  expect(await handled(onDemand(() => Promise.reject(lost)))).toBe(lost);
  const throwing = onDemand(async () => () => {
    throw lost;
  });
  expect(await handled(throwing)).toBe(lost);
});
