import { hash, pick } from './random.ts';
import { type Character, FIRST_CORPORATION_ID, type World } from './world.ts';

const FIRST_TYPE = 34;
const TYPES = 2_500;
const FIRST_SHIP = 580;
const SHIPS = 100;
const FIRST_SKILL = 2_300;
const SKILLS = 100;
const FIRST_SYSTEM = 30_000_001;
const SYSTEMS = 500;
const FIRST_CONSTELLATION = 20_000_001;
const FIRST_REGION = 10_000_001;
const REGIONS = 10;
const FIRST_STATION = 60_000_001;
const STATIONS = 200;
const FIRST_STRUCTURE = 1_030_000_000_001;

const SYSTEM_HEADS = [
  'Ama',
  'Bei',
  'Cla',
  'Dro',
  'Ena',
  'Fau',
  'Gri',
  'Hul',
  'Ino',
  'Jora',
  'Kor',
  'Lan',
  'Mek',
  'Nal',
  'Ota',
  'Pel',
  'Rai',
  'Suo',
  'Tev',
  'Ura',
  'Vel',
  'Wei',
  'Xan',
  'Yul',
  'Zer',
] as const;
const SYSTEM_TAILS = [
  'bas',
  'cor',
  'dan',
  'fal',
  'gor',
  'hama',
  'ikka',
  'jen',
  'kolo',
  'lus',
  'mar',
  'nes',
  'oda',
  'pra',
  'rin',
  'sola',
  'tun',
  'vara',
  'wen',
  'zai',
] as const;
const HULLS = ['Frigate', 'Destroyer', 'Cruiser', 'Hauler', 'Barge', 'Battleship', 'Carrier'] as const;
const FIELDS = ['Gunnery', 'Navigation', 'Mining', 'Trade', 'Shields', 'Scanning', 'Leadership'] as const;
const GOODS = ['Plate', 'Coil', 'Ore', 'Charge', 'Module', 'Salvage', 'Reagent', 'Component'] as const;
const ADJECTIVES = [
  'Compact',
  'Dense',
  'Heavy',
  'Light',
  'Prototype',
  'Refined',
  'Salvaged',
  'Standard',
] as const;

/** Is it an id of an inventory type? */
export const isType = within(FIRST_TYPE, TYPES);
/** Is it an id of a solar system? */
export const isSystem = within(FIRST_SYSTEM, SYSTEMS);
/** Is it an id of a station? */
export const isStation = within(FIRST_STATION, STATIONS);
/** Is it an id of a region? */
export const isRegion = within(FIRST_REGION, REGIONS);
const isConstellation = within(FIRST_CONSTELLATION, SYSTEMS / 10);

/** Ids of all inventory types, ascending. */
export const TYPE_IDS: readonly number[] = Array.from({ length: TYPES }, (_, i) => FIRST_TYPE + i);

/** A type, ship, skill, system or station that a hash falls on. */
export const anyType = (h: number): number => FIRST_TYPE + (h % TYPES);
export const anyShip = (h: number): number => FIRST_SHIP + (h % SHIPS);
export const skillAt = (n: number): number => FIRST_SKILL + (n % SKILLS);
export const anySystem = (h: number): number => FIRST_SYSTEM + (h % SYSTEMS);
export const anyStation = (h: number): number => FIRST_STATION + (h % STATIONS);

/** The solar system that a station stands in. */
export const systemOfStation = (stationId: number): number => anySystem((stationId - FIRST_STATION) * 37);

/** The structure that a player corporation owns; each has one. */
export const structureOf = (corporationId: number): number =>
  FIRST_STRUCTURE + corporationId - FIRST_CORPORATION_ID;

export interface Structure {
  readonly name: string;
  readonly owner_id: number;
  readonly solar_system_id: number;
  readonly type_id: number;
  readonly position: Position;
}

interface Position {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** The structure with this id, if a corporation of the world owns it. */
export function structure(world: World, id: number): Structure | undefined {
  const owner = world.corporation(id - FIRST_STRUCTURE + FIRST_CORPORATION_ID);
  if (owner === undefined || owner.npc) return undefined;
  const system = anySystem(hash(world.seed, id));
  return {
    name: `${systemName(system)} - ${owner.name} Keep`,
    owner_id: owner.id,
    solar_system_id: system,
    type_id: anyType(hash(id)),
    position: position(id),
  };
}

/** On the access list are the owner's members and those of its alliance. */
export function mayDock(world: World, character: Character, place: Structure): boolean {
  const alliance = world.corporation(place.owner_id)?.allianceId ?? null;
  return (
    character.corporationId === place.owner_id || (alliance !== null && character.allianceId === alliance)
  );
}

export function type(id: number): Record<string, unknown> {
  return {
    type_id: id,
    name: typeName(id),
    description: `${typeName(id)}, as sold everywhere.`,
    group_id: 1 + (id % 90),
    published: true,
    mass: 1_000 + (hash(id, 1) % 9_000),
    volume: 1 + (hash(id, 2) % 500),
    portion_size: 1,
  };
}

export function system(id: number): Record<string, unknown> {
  return {
    system_id: id,
    name: systemName(id),
    constellation_id: FIRST_CONSTELLATION + Math.floor((id - FIRST_SYSTEM) / 10),
    security_status: (hash(id, 1) % 200) / 100 - 1,
    star_id: 40_000_000 + id - FIRST_SYSTEM,
    position: position(id),
  };
}

export function station(id: number): Record<string, unknown> {
  return {
    station_id: id,
    name: stationName(id),
    system_id: systemOfStation(id),
    type_id: anyType(hash(id)),
    max_dockable_ship_volume: 50_000_000,
    office_rental_cost: 10_000 + (hash(id, 1) % 90_000),
    reprocessing_efficiency: 0.5,
    reprocessing_stations_take: 0.05,
    services: ['market', 'refinery', 'reprocessing-plant'],
    position: position(id),
  };
}

/** Name and category for the bulk names operation; undefined when the id names nothing of the universe. */
export function nameOf(id: number): { name: string; category: string } | undefined {
  if (isType(id)) return { name: typeName(id), category: 'inventory_type' };
  if (isSystem(id)) return { name: systemName(id), category: 'solar_system' };
  if (isStation(id)) return { name: stationName(id), category: 'station' };
  if (isConstellation(id))
    return { name: `Cluster ${id - FIRST_CONSTELLATION + 1}`, category: 'constellation' };
  if (isRegion(id)) return { name: `Reach ${id - FIRST_REGION + 1}`, category: 'region' };
  return undefined;
}

function typeName(id: number): string {
  const mark = `Mk ${(id % 9) + 1}`;
  if (within(FIRST_SHIP, SHIPS)(id)) return `${pick(ADJECTIVES, id)} ${pick(HULLS, id)} ${mark}`;
  if (within(FIRST_SKILL, SKILLS)(id))
    return `${pick(FIELDS, id)}: ${pick(ADJECTIVES, id)} Methods ${id - FIRST_SKILL + 1}`;
  return `${pick(ADJECTIVES, hash(id, 1))} ${pick(GOODS, hash(id, 2))} ${mark}`;
}

function systemName(id: number): string {
  const n = id - FIRST_SYSTEM;
  return pick(SYSTEM_HEADS, n) + pick(SYSTEM_TAILS, Math.floor(n / SYSTEM_HEADS.length));
}

function stationName(id: number): string {
  return `${systemName(systemOfStation(id))} - Station ${id - FIRST_STATION + 1}`;
}

function position(id: number): Position {
  const axis = (n: number) => (hash(id, n) - 0x8000_0000) * 1_000;
  return { x: axis(11), y: axis(12), z: axis(13) };
}

function within(first: number, count: number): (id: number) => boolean {
  return (id) => id >= first && id < first + count;
}
