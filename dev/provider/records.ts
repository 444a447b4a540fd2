import { Refusal } from '../web/http.ts';
import { timestamp } from '../world/character-sheet.ts';
import type { Mail } from '../world/mailbox.ts';
import { hash } from '../world/random.ts';
import * as universe from '../world/universe.ts';
import { type Alliance, type Character, type Corporation, GRAVEYARD_ID, type World } from '../world/world.ts';

/** From this compatibility date on, characters have the newer fields. */
const CHARACTER_CHANGE = '2026-06-09';
/** From this compatibility date on, corporations have `tax_rates` and a state. */
const CORPORATION_CHANGE = '2026-07-21';

/** Public data of a character, in the form of the compatibility date. */
export function publicCharacter(character: Character, compatibilityDate: string): unknown {
  const { id, allianceId } = character;
  return {
    name: character.name,
    corporation_id: character.corporationId,
    birthday: timestamp(character.bornAt),
    gender: character.gender,
    race_id: 2 ** (id % 4),
    bloodline_id: 1 + (id % 14),
    description: '',
    security_status: (hash(id) % 150) / 10 - 10,
    ...(allianceId === null ? {} : { alliance_id: allianceId }),
    ...(compatibilityDate < CHARACTER_CHANGE ? {} : { achievement_score: hash(id, 1) % 10_000 }),
  };
}

/** @throws Refusal 400 for an id that never was a character */
export function affiliation(world: World, id: number): unknown {
  const character = world.character(id);
  if (character === undefined) throw new Refusal(400, 'Invalid character ID');
  if (character.deleted) return { character_id: id, corporation_id: GRAVEYARD_ID };
  const { corporationId, allianceId } = character;
  return {
    character_id: id,
    corporation_id: corporationId,
    ...(allianceId === null ? {} : { alliance_id: allianceId }),
  };
}

/** Public data of a corporation, in the form of the compatibility date. */
export function publicCorporation(
  world: World,
  corporation: Corporation,
  compatibilityDate: string,
): unknown {
  const { id, allianceId, ceoId, npc, closed, taxRate } = corporation;
  const common = {
    name: corporation.name,
    ticker: corporation.ticker,
    member_count: world.membersOf(id).length,
    creator_id: corporation.creatorId,
    date_founded: timestamp(corporation.foundedAt),
    description: '',
    home_station_id: universe.anyStation(hash(world.seed, id)),
    shares: 1_000,
    war_eligible: !npc && !closed,
    ...(allianceId === null ? {} : { alliance_id: allianceId }),
  };
  if (compatibilityDate < CORPORATION_CHANGE) {
    // The older form has no state: nobody's corporations name character 1 and the text "None".
    return { ...common, ceo_id: ceoId ?? 1, tax_rate: taxRate, url: ceoId === null ? 'None' : '' };
  }
  return {
    ...common,
    ...(ceoId === null ? {} : { ceo_id: ceoId }),
    friendly_fire: 'legal',
    state: closed ? 'closed' : 'active',
    tax_rates: { isk: taxRate, loyalty_point: 0 },
    type: npc ? 'npc_owned' : 'player_owned',
  };
}

export function publicAlliance(alliance: Alliance): unknown {
  const executor = alliance.executorCorporationId;
  return {
    name: alliance.name,
    ticker: alliance.ticker,
    creator_id: alliance.creatorId,
    creator_corporation_id: alliance.creatorCorporationId,
    date_founded: timestamp(alliance.foundedAt),
    ...(executor === null ? {} : { executor_corporation_id: executor }),
  };
}

export function mailHeader({ id, from, labels, read, recipients, subject, timestamp: at }: Mail): unknown {
  return { mail_id: id, from, is_read: read, labels, recipients, subject, timestamp: at };
}

/** @throws Refusal 404 for an id that names nothing */
export function nameOf(world: World, id: number): { name: string; category: string } {
  const character = world.character(id);
  if (character) return { name: character.name, category: 'character' };
  const corporation = world.corporation(id);
  if (corporation) return { name: corporation.name, category: 'corporation' };
  const alliance = world.alliance(id);
  if (alliance) return { name: alliance.name, category: 'alliance' };
  const name = universe.nameOf(id);
  if (name === undefined) throw new Refusal(404, 'Ensure all IDs are valid before resolving.');
  return name;
}
