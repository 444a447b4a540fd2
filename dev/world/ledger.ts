import { centsAt, timestamp } from './character-sheet.ts';
import { hash } from './random.ts';
import { anyStation, anyType } from './universe.ts';
import { type Character, EPOCH, FIRST_CHARACTER_ID, type World } from './world.ts';

const HOUR = 3_600_000;
/** Hours that can be looked back on: 30 days. */
const HOURS = 720;
/** Transactions in one answer. */
const TRANSACTIONS = 500;
const FIRST_ENTRY = 20_000_000_000;
const FIRST_TRANSACTION = 6_000_000_000;
/** Before this hour nothing ever happened, so that ids ascend with time and are never negative. */
const FIRST_HOUR = -1_000_000;
/** Entries that one character makes in an hour, and room for all characters. */
const PER_HOUR = 2;
const ROOM = 2 ** 20;

/** The trade of one hour: it and its fee move the balance to what it is. */
interface Trade {
  readonly hour: number;
  readonly id: number;
  readonly at: string;
  readonly partner: number;
  readonly fee: number;
  /** In hundredths, below 0 for a purchase. */
  readonly amount: number;
}

/** One page of what moved the balance, newest first; the newest balance is the wallet's own. */
export function journal(
  world: World,
  character: Character,
  page: number,
  pageSize: number,
): { items: unknown[]; pages: number } {
  const first = (page - 1) * pageSize;
  const all = HOURS * PER_HOUR;
  const items = Array.from({ length: Math.max(0, Math.min(pageSize, all - first)) }, (_, i) => {
    const trade = tradeOf(world, character, world.hour - Math.floor((first + i) / PER_HOUR));
    return (first + i) % PER_HOUR === 0
      ? tradeEntry(world, character, trade)
      : feeEntry(world, character, trade);
  });
  return { items, pages: Math.ceil(all / pageSize) };
}

/** The newest trades, newest first, or those before the one that is named. */
export function transactions(world: World, character: Character, fromId: number | undefined): unknown[] {
  const all = Array.from({ length: HOURS }, (_, n) => tradeOf(world, character, world.hour - n));
  const older = fromId === undefined ? all : all.filter(({ id }) => id < fromId);
  return older.slice(0, TRANSACTIONS).map((trade) => ({
    transaction_id: trade.id,
    date: trade.at,
    client_id: trade.partner,
    is_buy: trade.amount < 0,
    is_personal: true,
    journal_ref_id: entryId(character, trade.hour, 1),
    location_id: anyStation(hash(trade.id)),
    quantity: 1,
    type_id: anyType(hash(trade.id, 1)),
    unit_price: Math.abs(trade.amount) / 100,
  }));
}

function tradeOf(world: World, character: Character, hour: number): Trade {
  const h = hash(world.seed, character.id, hour, 42);
  const fee = 100 + (h % 10_000);
  const moved = centsAt(world, character, hour) - centsAt(world, character, hour - 1);
  return {
    hour,
    id: FIRST_TRANSACTION + (hour - FIRST_HOUR) * ROOM + indexOf(character),
    at: timestamp(EPOCH + hour * HOUR + (h % 3_000) * 1_000),
    partner: FIRST_CHARACTER_ID + (hash(h) % world.population),
    fee,
    amount: moved + fee,
  };
}

function tradeEntry(world: World, character: Character, { hour, id, at, partner, amount }: Trade): unknown {
  const [from, to] = amount < 0 ? [character.id, partner] : [partner, character.id];
  return {
    id: entryId(character, hour, 1),
    date: at,
    ref_type: 'market_transaction',
    amount: amount / 100,
    balance: centsAt(world, character, hour) / 100,
    context_id: id,
    context_id_type: 'market_transaction_id',
    description: amount < 0 ? 'Market: bought goods' : 'Market: sold goods',
    first_party_id: from,
    second_party_id: to,
    reason: '',
  };
}

function feeEntry(world: World, character: Character, { hour, at, fee }: Trade): unknown {
  return {
    id: entryId(character, hour, 0),
    date: at,
    ref_type: 'brokers_fee',
    amount: -fee / 100,
    balance: (centsAt(world, character, hour - 1) - fee) / 100,
    description: 'Market order commission to broker',
    first_party_id: character.id,
    reason: '',
  };
}

function entryId(character: Character, hour: number, n: number): number {
  return FIRST_ENTRY + ((hour - FIRST_HOUR) * ROOM + indexOf(character)) * PER_HOUR + n;
}

function indexOf({ id }: Character): number {
  return id - FIRST_CHARACTER_ID;
}
