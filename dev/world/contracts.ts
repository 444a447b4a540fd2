import { timestamp } from './character-sheet.ts';
import { hash, pick } from './random.ts';
import { anyStation, anyType } from './universe.ts';
import { type Character, EPOCH, FIRST_CHARACTER_ID, type World } from './world.ts';

const HOUR = 3_600_000;
/** How far back contracts are told of: 30 days. */
const HOURS = 720;
/** Contracts that two partners make in an hour. */
const PER_HOUR = 2;
const FIRST_CONTRACT = 200_000_000;
/** Before this hour there were none, so that ids ascend with time and are never negative. */
const FIRST_HOUR = -1_000_000;
/** Room for every pair of characters. */
const ROOM = 2 ** 20;
/** Hours after which a contract has found its end. */
const OPEN_FOR = 72;

const TYPES = ['item_exchange', 'courier', 'auction'] as const;

interface Contract {
  readonly id: number;
  readonly hour: number;
  readonly h: number;
  readonly type: (typeof TYPES)[number];
  readonly issuer: Character;
  readonly assignee: Character;
  readonly open: boolean;
}

/** One page of a character's contracts, newest first: those that it and its partner made with each other. */
export function contracts(
  world: World,
  character: Character,
  page: number,
  pageSize: number,
): { items: unknown[]; pages: number } {
  const first = (page - 1) * pageSize;
  const total = partnerOf(world, character) === undefined ? 0 : HOURS * PER_HOUR;
  const items = Array.from({ length: Math.max(0, Math.min(pageSize, total - first)) }, (_, i) => {
    const n = first + i;
    return contractAt(world, character, world.hour - Math.floor(n / PER_HOUR), PER_HOUR - 1 - (n % PER_HOUR));
  });
  return {
    items: items.flatMap((contract) => (contract === undefined ? [] : [record(contract)])),
    pages: Math.max(1, Math.ceil(total / pageSize)),
  };
}

/** A contract that the character is party to. */
export function contractOf(world: World, character: Character, id: number): Contract | undefined {
  const rest = id - FIRST_CONTRACT;
  const hour = Math.floor(rest / (ROOM * PER_HOUR)) + FIRST_HOUR;
  const within = rest >= 0 && hour <= world.hour && hour > world.hour - HOURS;
  const contract = within ? contractAt(world, character, hour, rest % PER_HOUR) : undefined;
  return contract?.id === id ? contract : undefined;
}

/** A courier is not told what the package holds. */
export function itemsOf({ id, h, type }: Contract): unknown[] {
  if (type === 'courier') return [];
  return Array.from({ length: 1 + (h % 5) }, (_, n) => ({
    record_id: id * 8 + n,
    type_id: anyType(hash(h, n)),
    quantity: 1 + (hash(h, n) % 50),
    is_singleton: false,
    is_included: true,
  }));
}

export function bidsOf(world: World, { id, h, type, hour }: Contract): unknown[] {
  if (type !== 'auction') return [];
  return Array.from({ length: 1 + (h % 4) }, (_, n) => ({
    bid_id: id * 8 + n,
    bidder_id: FIRST_CHARACTER_ID + (hash(h, n) % world.population),
    amount: priceOf(h) + (n + 1) * 1_000,
    date_bid: issuedOn(hour, h, n + 1),
  }));
}

/** Two neighbours deal with each other, so that both tell of the same contract. */
function partnerOf(world: World, { id }: Character): Character | undefined {
  return world.character(FIRST_CHARACTER_ID + ((id - FIRST_CHARACTER_ID) ^ 1));
}

function contractAt(world: World, character: Character, hour: number, n: number): Contract | undefined {
  const partner = partnerOf(world, character);
  if (partner === undefined) return undefined;
  const [low, high] = character.id < partner.id ? [character, partner] : [partner, character];
  const pair = (low.id - FIRST_CHARACTER_ID) >> 1;
  const h = hash(world.seed, pair, hour, n, 43);
  const [issuer, assignee] = h % 2 === 0 ? [low, high] : [high, low];
  const id = FIRST_CONTRACT + ((hour - FIRST_HOUR) * ROOM + pair) * PER_HOUR + n;
  return { id, hour, h, type: pick(TYPES, h >>> 1), issuer, assignee, open: hour > world.hour - OPEN_FOR };
}

function record({ id, hour, h, type, issuer, assignee, open }: Contract): unknown {
  const courier = type === 'courier';
  return {
    contract_id: id,
    type,
    status: open ? 'outstanding' : 'finished',
    availability: 'personal',
    for_corporation: false,
    issuer_id: issuer.id,
    issuer_corporation_id: issuer.corporationId,
    assignee_id: assignee.id,
    acceptor_id: open ? 0 : assignee.id,
    date_issued: issuedOn(hour, h, 0),
    date_expired: issuedOn(hour, h, 14 * 24),
    ...(open ? {} : { date_accepted: issuedOn(hour, h, 1), date_completed: issuedOn(hour, h, 2) }),
    start_location_id: anyStation(h),
    end_location_id: anyStation(courier ? hash(h) : h),
    title: '',
    volume: 1 + (h % 10_000),
    price: courier ? 0 : priceOf(h),
    reward: courier ? priceOf(h) : 0,
    ...(courier && { collateral: priceOf(h) * 10, days_to_complete: 3 }),
    ...(type === 'auction' && { buyout: priceOf(h) * 2 }),
  };
}

function priceOf(h: number): number {
  return (h % 1_000_000) / 100 + 1;
}

/** So many hours after a contract of this hour was issued. */
function issuedOn(hour: number, h: number, hours: number): string {
  return timestamp(EPOCH + (hour + hours) * HOUR + (h % 1_800) * 1_000);
}
