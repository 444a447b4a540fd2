import { describe, expect, it } from 'vitest';
import { readLimits } from '../../../server/provider/limit-headers.ts';

const NOW = new Date('2026-03-02T12:00:00Z');
const GROUP = { name: 'char-wallet', maxTokens: 150, windowSeconds: 900 };
const SILENCE = {
  errorsLeft: undefined,
  errorReset: undefined,
  group: undefined,
  tokensLeft: undefined,
  emptyFor: undefined,
  retryAfter: undefined,
};

describe('D33: the limits in headers', () => {
  it.each([
    [{}, {}],
    [
      { 'x-esi-error-limit-remain': '12', 'x-esi-error-limit-reset': '40' },
      { errorsLeft: 12, errorReset: 40 },
    ],
    [{ 'x-esi-error-limit-remain': '12' }, { errorsLeft: 12, errorReset: 60 }],
    [
      { 'x-esi-error-limit-remain': '0', 'x-esi-error-limit-reset': '999999' },
      { errorsLeft: 0, errorReset: 3600 },
    ],
    [
      { 'x-esi-error-limit-remain': '12', 'x-esi-error-limit-reset': '0' },
      { errorsLeft: 12, errorReset: 0 },
    ],
    [{ 'x-esi-error-limit-remain': '-1', 'x-esi-error-limit-reset': 'soon' }, {}],
    [
      { 'x-ratelimit-group': 'g', 'x-ratelimit-remaining': '100', 'x-ratelimit-limit': '150/15m' },
      { group: 'g', tokensLeft: 100 },
    ],
    // Five of 150 tokens in 15 minutes are refilled in 30 seconds.
    [
      { 'x-ratelimit-group': 'g', 'x-ratelimit-remaining': '4', 'x-ratelimit-limit': '150/15m' },
      { group: 'g', tokensLeft: 4, emptyFor: 30 },
    ],
    [
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-limit': '5/2h' },
      { tokensLeft: 0, emptyFor: 3600 },
    ],
    [{ 'x-ratelimit-remaining': '0' }, { tokensLeft: 0, emptyFor: 30 }],
    [{ 'x-ratelimit-group': "g'; --" }, {}],
    [{ 'retry-after': '7' }, { retryAfter: 7 }],
    [{ 'retry-after': 'Mon, 02 Mar 2026 12:00:09 GMT' }, { retryAfter: 9 }],
    [{ 'retry-after': 'Mon, 02 Mar 2026 11:00:00 GMT' }, { retryAfter: 0 }],
    [{ 'retry-after': '999999' }, { retryAfter: 3600 }],
    [{ 'retry-after': 'later' }, {}],
    // By the provider's clock, which may be another.
    [
      { 'retry-after': 'Mon, 02 Mar 2026 11:01:00 GMT', date: 'Mon, 02 Mar 2026 11:00:00 GMT' },
      { retryAfter: 60 },
    ],
    [
      { 'retry-after': 'Mon, 02 Mar 2026 13:01:00 GMT', date: 'Mon, 02 Mar 2026 13:00:00 GMT' },
      { retryAfter: 60 },
    ],
    [{ 'retry-after': 'Monday, 02-Mar-26 12:00:09 GMT', date: 'today' }, { retryAfter: 9 }],
    [{ 'retry-after': '0.5' }, { retryAfter: 1 }],
    [{ 'retry-after': '1.5' }, { retryAfter: 2 }],
    [{ 'retry-after': '120.5' }, { retryAfter: 121 }],
    [{ 'retry-after': '9'.repeat(400) }, { retryAfter: 3600 }],
    [{ 'retry-after': '-5' }, {}],
    [{ 'retry-after': '2026' }, { retryAfter: 2026 }],
    [{ 'retry-after': '2026-03-02' }, {}],
  ])('%j', (headers, expected) => {
    expect(readLimits(headers, NOW, GROUP)).toEqual({ ...SILENCE, ...expected });
  });
});
