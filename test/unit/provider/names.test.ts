import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { askNames } from '../../../server/provider/api.ts';
import type { ProviderClient } from '../../../server/provider/client.ts';
import { ProviderError } from '../../../server/provider/http.ts';
import { createNames } from '../../../server/provider/names.ts';
import { nameStrangers } from '../../../server/registry/name-strangers.ts';
import { TestClock } from '../../harness/clock.ts';
import { createTestDatabase, empty, type TestDatabase } from '../../harness/database.ts';
import { madeAnswer } from '../../harness/provider.ts';

const HOUR = 3_600_000;
let database: TestDatabase;
const clock = new TestClock();
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => empty(database.db, 'names'));

/** A provider that refuses every request with one of these ids. */
class Refusing implements ProviderClient {
  refusals = 0;
  requests = 0;
  readonly bad: ReadonlySet<number>;
  constructor(bad: readonly number[]) {
    this.bad = new Set(bad);
  }
  async ask({ body = [] }: { readonly body?: readonly number[] }) {
    this.requests += 1;
    if (!body.some((id) => this.bad.has(id)))
      return madeAnswer(
        200,
        body.map((id) => ({ id, name: `Name of ${id}`, category: 'character' })),
      );
    this.refusals += 1;
    return madeAnswer(404, { error: 'Ensure all IDs are valid before resolving.' });
  }
}

const ids = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
const find = (client: ProviderClient, wanted: readonly number[]) =>
  createNames({ db: database.db, client, clock }).find(wanted, 'service');

describe('D32: names in bulk', () => {
  it.each([1, 513, 1000])('one unknown id, %d of a thousand, leaves the others their names', async (bad) => {
    const client = new Refusing([bad]);
    const { names, unasked } = await find(client, ids(1000));
    expect([names.size, names.has(bad), unasked]).toEqual([999, false, 0]);
    expect(client.refusals).toBeLessThanOrEqual(10);
    const again = new Refusing([bad]);
    expect((await find(again, ids(1000))).names.size).toBe(999);
    expect(again.requests).toBe(0);
  });

  it('D33: however many are unknown, a call causes 10 refusals, and the next one gets further', async () => {
    const bad = ids(100);
    let left = 1000;
    for (let call = 1; call <= 3; call += 1) {
      const client = new Refusing(bad);
      const { unasked, failure } = await find(client, bad);
      expect(client.refusals).toBeLessThanOrEqual(10);
      expect(failure).toBeUndefined();
      expect(unasked).toBeLessThan(left);
      left = unasked;
    }
    const half = new Refusing(ids(500));
    const { names } = await find(half, ids(1000));
    expect(names.size).toBeGreaterThan(450);
  });

  it('D36: however long it takes, all that are without a name are found in the end, and then rest for a day', async () => {
    const bad = ids(40);
    const calls = [];
    for (let unasked = bad.length; unasked > 0 && calls.length < bad.length; ) {
      ({ unasked } = await find(new Refusing(bad), bad));
      calls.push(unasked);
      clock.advance(3 * HOUR);
    }
    expect(calls.length * 3).toBeGreaterThan(24);
    expect(calls.at(-1)).toBe(0);
    clock.advance(15 * HOUR);
    const resting = new Refusing(bad);
    await find(resting, bad);
    expect(resting.requests).toBe(0);
    clock.advance(6 * HOUR);
    await find(resting, bad);
    expect(resting.requests).toBeGreaterThan(0);
  });

  const good = (id: number) => ({ id, name: `Name of ${id}`, category: 'character' });
  const odd = [
    ['null as its name', { ...good(2), name: null }],
    ['no name', { id: 2, category: 'character' }],
    ['a category that is none', { ...good(2), category: 7 }],
    ['an id that is a text', { ...good(2), id: '2' }],
    ['null', null],
  ] as const;
  it.each(odd)('an odd entry leaves the others their names, and has none for a day: %s', async (_, entry) => {
    let requests = 0;
    const client: ProviderClient = {
      async ask() {
        requests += 1;
        return madeAnswer(200, [good(1), entry, good(3)]);
      },
    };
    const named = new Map([1, 3].map((id) => [id, `Name of ${id}`]));
    const expected = { names: named, unasked: 0, failure: undefined };
    expect(await find(client, [1, 2, 3])).toEqual(expected);
    expect(await find(client, [1, 2, 3])).toEqual(expected);
    expect(requests).toBe(1);
  });

  it('null means “none”, also for an id that is asked for alone', async () => {
    const answer = (entry: object): ProviderClient => ({ ask: async () => madeAnswer(200, [entry]) });
    const nameless = await find(answer({ id: 2, name: null, category: null }), [2]);
    expect(nameless).toEqual({ names: new Map(), unasked: 0, failure: undefined });
    const named = await find(answer({ id: 3, name: 'Name of 3', category: null }), [3]);
    expect(named.names.get(3)).toBe('Name of 3');
  });

  it('an answer with nothing but odd entries says nothing: the ids are asked for again', async () => {
    const client: ProviderClient = { ask: async () => madeAnswer(200, [7, { id: '2' }]) };
    expect(await find(client, [1, 2])).toMatchObject({ unasked: 2, failure: { fault: 'unusable' } });
    expect((await find(new Refusing([]), [1, 2])).names.size).toBe(2);
  });

  it('a provider that fails leaves those that are known', async () => {
    await find(new Refusing([]), [1, 2]);
    const failure = new ProviderError('unreachable', 'gone');
    const client = { ask: () => Promise.reject(failure) };
    const found = await find(client, [1, 2, 3]);
    expect(found).toEqual({
      names: new Map([
        [1, 'Name of 1'],
        [2, 'Name of 2'],
      ]),
      unasked: 1,
      failure,
    });
  });

  it('a name that is not renewed is told as it is stored, also by the call that asked', async () => {
    await find(new Refusing([]), [1, 2]);
    clock.advance(8 * 24 * HOUR);
    const refusing = new Refusing([1]);
    const down: ProviderClient = { ask: () => Promise.reject(new ProviderError('unreachable', 'gone')) };
    const both = new Map([1, 2].map((id) => [id, `Name of ${id}`]));
    for (const client of [down, refusing, refusing]) expect((await find(client, [1, 2])).names).toEqual(both);
  });

  it.each([401, 403, 410])('a %d says nothing about the ids: they are asked for again', async (status) => {
    const sick: ProviderClient = { ask: async () => madeAnswer(status, { error: 'Forbidden' }) };
    expect(await find(sick, [7])).toMatchObject({ unasked: 1, failure: { fault: 'unusable' } });
    expect((await find(new Refusing([]), [7])).names.get(7)).toBe('Name of 7');
  });
});

describe('D39: names of CEOs', () => {
  it('good ids are named before the provider’s patience ends, as the bad half is not asked for first', async () => {
    const client = new Refusing([3]);
    const patient: ProviderClient = {
      ask: async (request) => {
        if (client.refusals === 5) throw new ProviderError('exhausted', 'enough');
        return client.ask(request);
      },
    };
    const { found, failure } = await askNames(patient, ids(1000));
    expect(failure).toBeInstanceOf(ProviderError);
    expect(found.length).toBeGreaterThanOrEqual(800);
  });

  it('an id that was refused is not asked for again within a day', async () => {
    const services = { db: database.db, clock };
    const name = async () => {
      const client = new Refusing([7]);
      const { found } = await nameStrangers(services, client, ids(20));
      expect(found).toHaveLength(19);
      return client.refusals;
    };
    expect(await name()).toBeGreaterThan(0);
    expect(await name()).toBe(0);
    clock.advance(25 * 3_600_000);
    expect(await name()).toBeGreaterThan(0);
  });
});
