import { Refusal } from '../web/http.ts';
import type { OrderType } from '../world/market.ts';
import type { Alliance, Character, Corporation, World } from '../world/world.ts';
import type { RateGroup } from './limits.ts';

/** Entries of one page, in lists that have pages. */
export const ITEMS_PER_PAGE = 1_000;
const IDS_PER_REQUEST = 1_000;

/** Input of an operation; path parameters are parsed, the caller and its scope are checked. */
export interface Call {
  readonly world: World;
  readonly params: Readonly<Record<string, number>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** The character that the bearer token is of; 0 in operations without a scope. */
  readonly caller: number;
  /** `YYYY-MM-DD` */
  readonly compatibilityDate: string;
}

export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  /** Without the provider's prefix. */
  readonly scope?: string;
  /** Seconds, until the daily downtime, or not at all. */
  readonly cached: number | 'daily' | 'not';
  readonly rateGroup?: RateGroup;
  /** Takes `page` and answers `X-Pages`. */
  readonly paged?: true;
  /** Further query parameters, with their types; a list holds whole numbers. */
  readonly query?: Readonly<Record<string, 'array' | 'integer' | 'string'>>;
  /** @throws Refusal */
  readonly run: (call: Call) => unknown;
}

/** A page of a list, for operations marked `paged`. */
export interface Page {
  readonly items: readonly unknown[];
  readonly pages: number;
}

/** A rate group with a window of 15 minutes, as all of them have. */
export function per15m(group: string, maxTokens: number): RateGroup {
  return { group, maxTokens, windowSeconds: 900 };
}

export function namedCharacter({ world, params }: Call): Character {
  const character = world.character(params.character_id ?? 0);
  if (character === undefined) throw new Refusal(404, 'Character not found');
  if (character.deleted) throw new Refusal(404, 'Character has been deleted!');
  return character;
}

/** Scoped operations on a character answer for the token's own alone. */
export function ownCharacter(call: Call): Character {
  if (call.params.character_id !== call.caller)
    throw new Refusal(403, 'Token is not valid for this character');
  return namedCharacter(call);
}

export function namedCorporation({ world, params }: Call): Corporation {
  const corporation = world.corporation(params.corporation_id ?? 0);
  if (corporation === undefined) throw new Refusal(404, 'Corporation not found');
  return corporation;
}

export function namedAlliance({ world, params }: Call): Alliance {
  const alliance = world.alliance(params.alliance_id ?? 0);
  if (alliance === undefined) throw new Refusal(404, 'Alliance not found');
  return alliance;
}

export function idList(body: unknown): number[] {
  if (!Array.isArray(body) || !body.every((id) => Number.isSafeInteger(id)))
    throw new Refusal(400, 'Expected a list of ids');
  if (body.length === 0 || body.length > IDS_PER_REQUEST)
    throw new Refusal(400, `Expected 1 to ${IDS_PER_REQUEST} ids`);
  if (new Set(body).size !== body.length) throw new Refusal(400, 'Expected unique ids');
  return body;
}

export function known(id: number | undefined, exists: (id: number) => boolean, what: string): number {
  if (id === undefined || !exists(id)) throw new Refusal(404, `${what} not found`);
  return id;
}

export function pageOf(call: Call): number {
  const page = wholeNumber(call, 'page') ?? 1;
  if (page < 1) throw new Refusal(400, 'The page must be a positive number');
  return page;
}

export function wholeNumber({ query }: Call, name: string): number | undefined {
  const value = query.get(name);
  return value === null ? undefined : parsed(name, value);
}

/** A list, in the form that the present document describes: each value with the name before it. */
export function wholeNumbers({ query }: Call, name: string): number[] {
  return query.getAll(name).map((value) => parsed(name, value));
}

function parsed(name: string, value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new Refusal(400, `${name} must be a whole number`);
  return Number(value);
}

export function isOrderType(value: string): value is OrderType {
  return value === 'all' || value === 'buy' || value === 'sell';
}
