import { hash, pick } from './random.ts';
import {
  anyShip,
  anyStation,
  anySystem,
  anyType,
  skillAt,
  structure,
  structureOf,
  systemOfStation,
} from './universe.ts';
import { type Character, EPOCH, type World } from './world.ts';

const HOUR = 3_600_000;
const SKILL_POINTS = [0, 250, 1_414, 8_000, 45_255, 256_000] as const;
const SHIP_NAMES = [
  'Second Wind',
  'Old Faithful',
  'Paper Tiger',
  'Borrowed Time',
  'Plan B',
  'Fine Print',
] as const;

/** Where the character is: in a station, in its corporation's structure, or in space. Another place each hour. */
export function location(world: World, character: Character): Record<string, number> {
  const h = hash(world.seed, character.id, world.hour, 21);
  const home = structureOf(character.corporationId);
  const keep = structure(world, home);
  if (h % 5 === 0) return { solar_system_id: anySystem(h >>> 3) };
  if (h % 5 === 1 && keep) return { solar_system_id: keep.solar_system_id, structure_id: home };
  const docked = anyStation(h >>> 3);
  return { solar_system_id: systemOfStation(docked), station_id: docked };
}

export function online(world: World, character: Character): Record<string, unknown> {
  const h = hash(world.seed, character.id, world.hour, 22);
  const login = EPOCH + (world.hour - (h % 48)) * HOUR;
  return {
    online: h % 3 === 0,
    last_login: timestamp(login),
    last_logout: timestamp(login - HOUR),
    logins: 10 + (hash(world.seed, character.id) % 900) + world.hour,
  };
}

export function ship(world: World, character: Character): Record<string, unknown> {
  const h = hash(world.seed, character.id, world.hour, 23);
  return {
    ship_item_id: 1_040_000_000_000 + h,
    ship_name: pick(SHIP_NAMES, h >>> 4),
    ship_type_id: anyShip(h),
  };
}

/** 20 to 60 skills; the first one is in training and grows with every hour. */
export function skills(world: World, character: Character): Record<string, unknown> {
  const count = 20 + (hash(world.seed, character.id, 24) % 41);
  const list = Array.from({ length: count }, (_, i) => {
    const level = 1 + (hash(world.seed, character.id, 25, i) % 5);
    const training = i === 0 ? world.hour * 1_800 : 0;
    return {
      skill_id: skillAt(i),
      active_skill_level: level,
      trained_skill_level: level,
      skillpoints_in_skill: (SKILL_POINTS[level] ?? 0) * (1 + (i % 8)) + training,
    };
  });
  const total = list.reduce((sum, skill) => sum + skill.skillpoints_in_skill, 0);
  return { skills: list, total_sp: total, unallocated_sp: hash(world.seed, character.id, 26) % 50_000 };
}

/** Balance with two decimals; trade moves it by up to 10,000 either way each hour. */
export function wallet(world: World, character: Character): number {
  return centsAt(world, character, world.hour) / 100;
}

/** The balance of an hour in hundredths. */
export function centsAt(world: World, character: Character, hour: number): number {
  const cents = 1_000_000 + hash(world.seed, character.id, 27) * 10;
  return cents + (hash(world.seed, character.id, hour, 28) % 2_000_001) - 1_000_000;
}

/** One page of the character's assets, and how many pages there are. */
export function assets(
  world: World,
  character: Character,
  page: number,
  pageSize: number,
): { items: unknown[]; pages: number } {
  const total = 300 + (hash(world.seed, character.id, 29) % 2_400);
  const first = (page - 1) * pageSize;
  const items = Array.from({ length: Math.max(0, Math.min(pageSize, total - first)) }, (_, i) => {
    const h = hash(world.seed, character.id, 30, first + i);
    return {
      item_id: 1_020_000_000_000 + h,
      type_id: anyType(h),
      quantity: 1 + (h % 100),
      is_singleton: false,
      location_flag: 'Hangar',
      location_id: anyStation(h >>> 5),
      location_type: 'station',
    };
  });
  return { items, pages: Math.ceil(total / pageSize) };
}

/** The provider's form of a moment: UTC, seconds. */
export function timestamp(at: number | Date): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
