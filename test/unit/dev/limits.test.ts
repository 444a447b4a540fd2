import { describe, expect, it } from 'vitest';
import { FIRST_CHARACTER_ID } from '../../../dev/world/world.ts';
import { bearer, get, useProvider, WALLET } from './client.ts';

const SOMEBODY = FIRST_CHARACTER_ID + 100;
const PUBLIC = `/characters/${SOMEBODY}`;
const simulated = useProvider();

function errorBudget({ headers }: Response): unknown[] {
  return [headers.get('x-esi-error-limit-remain'), headers.get('x-esi-error-limit-reset')].map(Number);
}

function bucket({ headers }: Response): unknown[] {
  return ['group', 'limit', 'remaining', 'used'].map((name) => headers.get(`x-ratelimit-${name}`));
}

describe('error limit (provider.md §2)', () => {
  it('counts answers outside 2xx/3xx, and is reset each minute', async () => {
    expect(errorBudget(await get(simulated.provider, PUBLIC))).toEqual([100, 60]);
    expect(errorBudget(await get(simulated.provider, '/characters/1'))).toEqual([99, 60]);
    simulated.advance(20);
    expect(errorBudget(await get(simulated.provider, PUBLIC))).toEqual([99, 40]);
    simulated.advance(40);
    expect(errorBudget(await get(simulated.provider, PUBLIC))).toEqual([100, 60]);
  });

  it('used up: 420 on every route, also those with a rate group, until the minute is over', async () => {
    simulated.provider.setErrorLimit({ remaining: 1 });
    expect((await get(simulated.provider, '/characters/1')).status).toBe(404);
    for (const path of [PUBLIC, '/status', '/meta/openapi.json']) {
      const answer = await get(simulated.provider, path);
      expect([answer.status, errorBudget(answer)]).toEqual([420, [0, 60]]);
    }
    simulated.advance(60);
    expect((await get(simulated.provider, PUBLIC)).status).toBe(200);
  });

  it('100 errors a minute are the default', async () => {
    for (let i = 0; i < 100; i++) await (await get(simulated.provider, '/characters/1')).arrayBuffer();
    expect((await get(simulated.provider, PUBLIC)).status).toBe(420);
  });
});

describe('token buckets (provider.md §2)', () => {
  it('2XX costs 2, 3XX 1, 4XX 5, 5XX 0', async () => {
    const path = `/characters/${SOMEBODY}/wallet`;
    const headers = await bearer(simulated.provider, SOMEBODY, WALLET);
    const first = await get(simulated.provider, path, headers);
    expect(bucket(first)).toEqual(['char-wallet', '150/15m', '148', '2']);
    const etag = first.headers.get('etag') ?? '';
    const same = await get(simulated.provider, path, { ...headers, 'if-none-match': etag });
    expect(bucket(same)).toEqual(['char-wallet', '150/15m', '147', '1']);
    const refused = await get(simulated.provider, `/characters/${SOMEBODY + 1}/wallet`, headers);
    expect(bucket(refused)).toEqual(['char-wallet', '150/15m', '142', '5']);
    simulated.provider.faults.add(`/characters/${SOMEBODY}/wallet`, { kind: 'status', status: 502 });
    expect(bucket(await get(simulated.provider, path, headers))).toEqual([
      'char-wallet',
      '150/15m',
      '142',
      '0',
    ]);
  });

  it('used up: 429 with Retry-After, only for that group and that character', async () => {
    simulated.provider.setRateLimit('char-wallet', 4);
    const [one, other] = [
      await bearer(simulated.provider, SOMEBODY, WALLET),
      await bearer(simulated.provider, SOMEBODY + 1, WALLET),
    ];
    const wallet = (id: number, headers: { authorization: string }) =>
      get(simulated.provider, `/characters/${id}/wallet`, headers);
    await wallet(SOMEBODY, one);
    simulated.advance(100);
    expect(bucket(await wallet(SOMEBODY, one))).toEqual(['char-wallet', '4/15m', '0', '2']);
    const limited = await wallet(SOMEBODY, one);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '800']);
    expect((await wallet(SOMEBODY + 1, other)).status).toBe(200);
    expect((await get(simulated.provider, '/status', one)).status).toBe(200);
    simulated.advance(800);
    expect((await wallet(SOMEBODY, one)).status).toBe(200);
  });

  it('routes with a rate group carry its headers instead of the error limit’s, and spend no error budget', async () => {
    const refused = await get(simulated.provider, `/characters/${SOMEBODY}/wallet`);
    expect(refused.status).toBe(401);
    expect(refused.headers.has('x-esi-error-limit-remain')).toBe(false);
    const open = await get(simulated.provider, PUBLIC);
    expect(open.headers.has('x-ratelimit-group')).toBe(false);
    expect(errorBudget(open)).toEqual([100, 60]);
  });
});
