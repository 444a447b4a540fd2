import { Refusal } from '../web/http.ts';
import * as sheet from '../world/character-sheet.ts';
import { MAILS_PER_PAGE, type Mail, mailbox } from '../world/mailbox.ts';
import * as market from '../world/market.ts';
import { hash } from '../world/random.ts';
import * as universe from '../world/universe.ts';
import { AFFAIRS } from './affairs.ts';
import {
  ITEMS_PER_PAGE,
  idList,
  isOrderType,
  known,
  namedAlliance,
  namedCharacter,
  namedCorporation,
  type Operation,
  ownCharacter,
  type Page,
  pageOf,
  per15m,
  wholeNumber,
  wholeNumbers,
} from './operation.ts';
import * as records from './records.ts';

const MAIL = { scope: 'mail.read_mail.v1', cached: 30, rateGroup: per15m('char-social', 600) } as const;
const LOCATION = per15m('char-location', 1_200);

/** Every operation that is simulated (provider.md §2). */
export const OPERATIONS: readonly Operation[] = [
  ...AFFAIRS,
  {
    id: 'GetCharacter',
    method: 'GET',
    path: '/characters/{character_id}',
    cached: 86_400,
    summary: 'Public data of a character',
    run: (call) => records.publicCharacter(namedCharacter(call), call.compatibilityDate),
  },
  {
    id: 'PostCharactersAffiliation',
    method: 'POST',
    path: '/characters/affiliation',
    cached: 3_600,
    summary: 'Corporations and alliances of many characters',
    run: ({ world, body }) => idList(body).map((id) => records.affiliation(world, id)),
  },
  {
    id: 'GetCorporation',
    method: 'GET',
    path: '/corporations/{corporation_id}',
    cached: 3_600,
    summary: 'Public data of a corporation',
    run: (call) => records.publicCorporation(call.world, namedCorporation(call), call.compatibilityDate),
  },
  {
    id: 'GetCorporationMembers',
    method: 'GET',
    path: '/corporations/{corporation_id}/members',
    cached: 3_600,
    summary: 'Members of the caller’s corporation',
    scope: 'corporations.read_corporation_membership.v1',
    rateGroup: per15m('corp-member', 300),
    run(call) {
      const { id } = namedCorporation(call);
      if (call.world.character(call.caller)?.corporationId !== id)
        throw new Refusal(403, 'Character is not in the corporation');
      return call.world.membersOf(id);
    },
  },
  {
    id: 'GetAlliance',
    method: 'GET',
    path: '/alliances/{alliance_id}',
    cached: 3_600,
    summary: 'Public data of an alliance',
    run: (call) => records.publicAlliance(namedAlliance(call)),
  },
  {
    id: 'GetAllianceCorporations',
    method: 'GET',
    path: '/alliances/{alliance_id}/corporations',
    cached: 3_600,
    summary: 'Corporations of an alliance',
    run: (call) => call.world.corporationsOf(namedAlliance(call).id),
  },
  {
    id: 'PostUniverseNames',
    method: 'POST',
    path: '/universe/names',
    cached: 'not',
    summary: 'Names and categories of ids',
    run: ({ world, body }) => idList(body).map((id) => ({ id, ...records.nameOf(world, id) })),
  },
  {
    id: 'GetCharacterLocation',
    method: 'GET',
    path: '/characters/{character_id}/location',
    cached: 5,
    summary: 'Where the character is',
    scope: 'location.read_location.v1',
    rateGroup: LOCATION,
    run: (call) => sheet.location(call.world, ownCharacter(call)),
  },
  {
    id: 'GetCharacterOnline',
    method: 'GET',
    path: '/characters/{character_id}/online',
    cached: 60,
    summary: 'Whether the character is online',
    scope: 'location.read_online.v1',
    rateGroup: LOCATION,
    run: (call) => sheet.online(call.world, ownCharacter(call)),
  },
  {
    id: 'GetCharacterShip',
    method: 'GET',
    path: '/characters/{character_id}/ship',
    cached: 5,
    summary: 'The ship that the character flies',
    scope: 'location.read_ship_type.v1',
    rateGroup: LOCATION,
    run: (call) => sheet.ship(call.world, ownCharacter(call)),
  },
  {
    id: 'GetCharacterMails',
    method: 'GET',
    path: '/characters/{character_id}/mail',
    ...MAIL,
    summary: 'The newest 50 mail headers, or those older than last_mail_id, of all labels or of some',
    query: { labels: 'array', last_mail_id: 'integer' },
    run(call) {
      const before = wholeNumber(call, 'last_mail_id') ?? Number.POSITIVE_INFINITY;
      const labels = new Set(wholeNumbers(call, 'labels'));
      const labelled = (mail: Mail) => labels.size === 0 || mail.labels.some((label) => labels.has(label));
      const older = mailbox(call.world, ownCharacter(call)).filter(
        (mail) => mail.id < before && labelled(mail),
      );
      return older.slice(0, MAILS_PER_PAGE).map(records.mailHeader);
    },
  },
  {
    id: 'GetCharacterMail',
    method: 'GET',
    path: '/characters/{character_id}/mail/{mail_id}',
    ...MAIL,
    summary: 'One mail',
    run(call) {
      const mail = mailbox(call.world, ownCharacter(call)).find(({ id }) => id === call.params.mail_id);
      if (mail === undefined) throw new Refusal(404, 'Mail not found');
      const { body, from, labels, read, recipients, subject, timestamp } = mail;
      return { body, from, labels, read, recipients, subject, timestamp };
    },
  },
  {
    id: 'GetCharacterSkills',
    method: 'GET',
    path: '/characters/{character_id}/skills',
    cached: 60,
    summary: 'Trained skills',
    scope: 'skills.read_skills.v1',
    rateGroup: per15m('char-detail', 600),
    run: (call) => sheet.skills(call.world, ownCharacter(call)),
  },
  {
    id: 'GetCharacterWallet',
    method: 'GET',
    path: '/characters/{character_id}/wallet',
    cached: 120,
    summary: 'Balance',
    scope: 'wallet.read_character_wallet.v1',
    rateGroup: per15m('char-wallet', 150),
    run: (call) => sheet.wallet(call.world, ownCharacter(call)),
  },
  {
    id: 'GetCharacterAssets',
    method: 'GET',
    path: '/characters/{character_id}/assets',
    cached: 3_600,
    paged: true,
    summary: 'Assets',
    scope: 'assets.read_assets.v1',
    rateGroup: per15m('char-asset', 1_800),
    run: (call): Page => sheet.assets(call.world, ownCharacter(call), pageOf(call), ITEMS_PER_PAGE),
  },
  {
    id: 'GetUniverseStructure',
    method: 'GET',
    path: '/universe/structures/{structure_id}',
    cached: 3_600,
    summary: 'A structure whose access list the caller is on',
    scope: 'universe.read_structures.v1',
    run({ world, params, caller }) {
      const structure = universe.structure(world, params.structure_id ?? 0);
      if (structure === undefined) throw new Refusal(404, 'Structure not found');
      const character = world.character(caller);
      if (!character || !universe.mayDock(world, character, structure)) throw new Refusal(403, 'Forbidden');
      return structure;
    },
  },
  {
    id: 'GetUniverseTypes',
    method: 'GET',
    path: '/universe/types',
    cached: 'daily',
    paged: true,
    summary: 'Ids of all inventory types',
    run(call): Page {
      const first = (pageOf(call) - 1) * ITEMS_PER_PAGE;
      const items = universe.TYPE_IDS.slice(first, first + ITEMS_PER_PAGE);
      return { items, pages: Math.ceil(universe.TYPE_IDS.length / ITEMS_PER_PAGE) };
    },
  },
  {
    id: 'GetUniverseType',
    method: 'GET',
    path: '/universe/types/{type_id}',
    cached: 'daily',
    summary: 'An inventory type',
    run: ({ params }) => universe.type(known(params.type_id, universe.isType, 'Type')),
  },
  {
    id: 'GetUniverseSystem',
    method: 'GET',
    path: '/universe/systems/{system_id}',
    cached: 'daily',
    summary: 'A solar system',
    run: ({ params }) => universe.system(known(params.system_id, universe.isSystem, 'Solar system')),
  },
  {
    id: 'GetUniverseStation',
    method: 'GET',
    path: '/universe/stations/{station_id}',
    cached: 'daily',
    summary: 'A station',
    run: ({ params }) => universe.station(known(params.station_id, universe.isStation, 'Station')),
  },
  {
    id: 'GetMarketOrders',
    method: 'GET',
    path: '/markets/{region_id}/orders',
    cached: 300,
    paged: true,
    summary: 'Orders of a region',
    query: { order_type: 'string', type_id: 'integer' },
    rateGroup: per15m('market-order', 12_000),
    run(call): Page {
      const region = known(call.params.region_id, market.isMarket, 'Region');
      const orderType = call.query.get('order_type') ?? 'all';
      if (!isOrderType(orderType)) throw new Refusal(400, 'The order type must be buy, sell or all');
      const typeId = wholeNumber(call, 'type_id');
      return market.marketOrders(region, { typeId, orderType }, pageOf(call), ITEMS_PER_PAGE);
    },
  },
  {
    id: 'GetStatus',
    method: 'GET',
    path: '/status',
    cached: 30,
    summary: 'The game server',
    rateGroup: per15m('status', 600),
    run: ({ world }) => ({
      players: Math.floor(world.population / 3) + (hash(world.seed, world.hour) % 100),
      server_version: '3000000',
      start_time: '2026-01-01T11:05:00Z',
    }),
  },
];
