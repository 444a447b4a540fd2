import { describe, expect, it } from 'vitest';
import { FIRST_CHARACTER_ID } from '../../../dev/world/world.ts';
import { bearer, get, useProvider } from './client.ts';

const SOMEBODY = FIRST_CHARACTER_ID + 100;
const PARTNER = FIRST_CHARACTER_ID + 101;
const STRANGER = FIRST_CHARACTER_ID + 102;
const SCOPES = [
  'esi-clones.read_clones.v1',
  'esi-contracts.read_character_contracts.v1',
  'esi-wallet.read_character_wallet.v1',
];
const simulated = useProvider();

interface Entry {
  readonly id: number;
  readonly amount: number;
  readonly balance: number;
  readonly date: string;
  readonly context_id?: number;
}
interface Trade {
  readonly transaction_id: number;
  readonly journal_ref_id: number;
  readonly is_buy: boolean;
  readonly unit_price: number;
}
interface Contract {
  readonly contract_id: number;
  readonly type: string;
  readonly status: string;
  readonly issuer_id: number;
  readonly acceptor_id: number;
  readonly date_issued: string;
}

async function own<T>(what: string, character = SOMEBODY): Promise<T> {
  const headers = await bearer(simulated.provider, character, ...SCOPES);
  return (await (await get(simulated.provider, `/characters/${character}/${what}`, headers)).json()) as T;
}

async function allPages<T>(what: string, character = SOMEBODY): Promise<T[]> {
  const headers = await bearer(simulated.provider, character, ...SCOPES);
  const path = `/characters/${character}/${what}`;
  const pages = Number((await get(simulated.provider, path, headers)).headers.get('x-pages'));
  expect(pages).toBeGreaterThan(1);
  expect((await get(simulated.provider, `${path}?page=${pages + 1}`, headers)).status).toBe(404);
  const all: T[] = [];
  for (let page = 1; page <= pages; page++) all.push(...(await own<T[]>(`${what}?page=${page}`, character)));
  return all;
}

const cents = (amount: number) => Math.round(amount * 100);

describe('the money of a character', () => {
  it('each entry of the journal leads from one balance to the next, and the last one to the wallet’s', async () => {
    const journal = await allPages<Entry>('wallet/journal');
    expect(cents(journal[0]?.balance ?? 0)).toBe(cents(await own<number>('wallet')));
    for (const [n, entry] of journal.slice(0, -1).entries()) {
      const before = journal[n + 1] as Entry;
      expect(cents(before.balance) + cents(entry.amount)).toBe(cents(entry.balance));
      expect(entry.id).toBeGreaterThan(before.id);
      expect(entry.date >= before.date).toBe(true);
    }
  });

  it('grows with every hour of the game, and earlier entries stay', async () => {
    const before = await own<Entry[]>('wallet/journal');
    simulated.provider.world.hour++;
    const after = await own<Entry[]>('wallet/journal');
    expect(after.slice(2)).toEqual(before.slice(0, -2));
    expect(cents(after[0]?.balance ?? 0)).toBe(cents(await own<number>('wallet')));
  });

  it('each transaction is an entry of the journal; from_id leads to older ones', async () => {
    const first = await own<Trade[]>('wallet/transactions');
    const last = first.at(-1)?.transaction_id ?? 0;
    const second = await own<Trade[]>(`wallet/transactions?from_id=${last}`);
    const all = [...first, ...second];
    expect(second.length).toBeGreaterThan(0);
    expect(new Set(all.map(({ transaction_id: id }) => id)).size).toBe(all.length);
    const entries = new Map((await allPages<Entry>('wallet/journal')).map((entry) => [entry.id, entry]));
    for (const { transaction_id, journal_ref_id, is_buy, unit_price } of all) {
      const { amount, context_id } = entries.get(journal_ref_id) as Entry;
      expect(context_id).toBe(transaction_id);
      expect(cents(amount)).toBe(cents(is_buy ? -unit_price : unit_price));
    }
    expect(await own<Trade[]>('wallet/transactions?from_id=1')).toEqual([]);
  });
});

describe('the contracts of a character', () => {
  it('are shown to its partner, too, and to nobody else', async () => {
    const ids = (await allPages<Contract>('contracts')).map(({ contract_id: id }) => id);
    expect((await allPages<Contract>('contracts', PARTNER)).map(({ contract_id: id }) => id)).toEqual(ids);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    const strangers = await allPages<Contract>('contracts', STRANGER);
    expect(strangers.filter(({ contract_id: id }) => ids.includes(id))).toEqual([]);
    const headers = await bearer(simulated.provider, STRANGER, ...SCOPES);
    for (const what of ['items', 'bids']) {
      const path = `/characters/${STRANGER}/contracts/${ids[0]}/${what}`;
      expect((await get(simulated.provider, path, headers)).status).toBe(404);
    }
  });

  it('have items, auctions have bids; the newest are open', async () => {
    const contracts = await own<Contract[]>('contracts');
    expect(new Set(contracts.map(({ type }) => type))).toEqual(
      new Set(['auction', 'courier', 'item_exchange']),
    );
    expect(contracts[0]).toMatchObject({ status: 'outstanding', acceptor_id: 0 });
    expect(contracts.at(-1)).toMatchObject({ status: 'finished', acceptor_id: expect.any(Number) });
    const auction = contracts.find(({ type }) => type === 'auction') as Contract;
    const bids = await own<{ amount: number }[]>(`contracts/${auction.contract_id}/bids`);
    expect(bids.length).toBeGreaterThan(0);
    const items = await own<{ record_id: number }[]>(`contracts/${auction.contract_id}/items`);
    expect(new Set(items.map(({ record_id: id }) => id)).size).toBe(items.length);
    expect(items.length).toBeGreaterThan(0);
  });
});

describe('the clones of a character', () => {
  it('have locations with names', async () => {
    const { home_location: home } = await own<{ home_location: { location_id: number } }>('clones');
    expect((await get(simulated.provider, `/universe/stations/${home.location_id}`)).status).toBe(200);
  });
});
