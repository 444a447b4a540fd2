import { timestamp } from './character-sheet.ts';
import { hash } from './random.ts';
import { anyStation, anyType, structureOf } from './universe.ts';
import { type Character, EPOCH, type World } from './world.ts';

const DAY = 86_400_000;
const FIRST_CLONE = 30_000_001;

/** Home in a station, up to five other clones, some of them in the corporation's structure. */
export function clones(world: World, character: Character): Record<string, unknown> {
  const h = hash(world.seed, character.id, 41);
  const days = (n: number) => timestamp(EPOCH - (1 + (hash(h, n) % 300)) * DAY);
  return {
    home_location: { location_id: anyStation(h), location_type: 'station' },
    jump_clones: Array.from({ length: h % 6 }, (_, n) => clone(character, hash(h, n))),
    last_clone_jump_date: days(1),
    last_station_change_date: days(2),
  };
}

function clone({ corporationId }: Character, h: number): Record<string, unknown> {
  const abroad = h % 3 === 0;
  return {
    jump_clone_id: FIRST_CLONE + (h % 900_000_000),
    implants: Array.from({ length: h % 4 }, (_, n) => anyType(hash(h, n))),
    location_id: abroad ? structureOf(corporationId) : anyStation(h >>> 3),
    location_type: abroad ? 'structure' : 'station',
    name: abroad ? 'Spare' : '',
  };
}
