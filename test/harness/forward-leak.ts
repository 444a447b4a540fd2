import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import { assets, location, skills, wallet } from '../../dev/world/character-sheet.ts';
import { sequence } from '../../dev/world/random.ts';
import { mayDock, structure, structureOf } from '../../dev/world/universe.ts';
import type { Character } from '../../dev/world/world.ts';
import { createClient } from '../../sdk/src/index.ts';
import { createApi } from '../../server/api.ts';
import { createApp } from '../../server/app.ts';
import { listen } from '../../server/http/listen.ts';
import { addCoalition, addOrganizations, addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import type { TestApp } from './app.ts';
import { addGrant, expireAccessTokens } from './provider.ts';

const CORPORATIONS = 4;
const PEOPLE_EACH = 6;
/** Levels, assigned in turn: authority over oneself only, one's corporation, everybody (D12). */
const LEVELS = [0, 1, 0, 1, 0, 7] as const;
const SCOPES: readonly ExtScope[] = [
  'ext-assets.read_assets.v1',
  'ext-corporations.read_corporation_membership.v1',
  'ext-location.read_location.v1',
  'ext-skills.read_skills.v1',
  'ext-universe.read_structures.v1',
  'ext-wallet.read_character_wallet.v1',
];
const SHEETS = { skills, wallet, location } as const;
const AT_ONCE = 50;
const ITEMS_PER_PAGE = 1_000;
/** Maximum step of the clock between two batches in milliseconds: longer than some lifetimes, shorter than others. */
const LONGEST_STEP = 20_000;

interface Person {
  readonly id: number;
  readonly level: number;
  readonly corporation: number;
  /** Clients for each instance of the service. */
  readonly clients: readonly ReturnType<typeof createClient>[];
}

/** A forwarded call with its expected answer. */
interface Call {
  readonly caller: Person;
  readonly path: string;
  readonly behalf: number | null;
  readonly allPages: boolean;
  /** The status, that of the provider if it answered; for 200 also the data for this caller. */
  readonly expected: { readonly status: number; readonly code?: number; readonly data?: unknown };
}

export interface LeakFigures {
  readonly calls: number;
  /** Calls answered with data that only one character or the members of one corporation may see. */
  readonly personal: number;
  /** Calls refused by the service or the provider. */
  readonly refused: number;
  /** Requests that reached the provider's API, including pages and refreshes. */
  readonly asked: number;
}

/**
 * Lets many users forward calls concurrently through two instances of the service, for their own data, for data of
 * users on whose behalf they may ask, and for data that they may not read, cached or not. Throws at the first answer
 * that does not belong to its caller.
 */
export async function callAcrossUsers(
  app: TestApp,
  calls: number,
  seed: number,
  progress: (made: number) => void = () => undefined,
): Promise<LeakFigures> {
  const { settings, log } = app.app.services;
  const other = await createApp(settings, {
    log,
    clock: app.clock,
    worker: false,
    database: { poolSize: 8 },
  });
  const http = await listen(createApi(other.services), '127.0.0.1', 0);
  const random = sequence(seed);
  const figures = { calls: 0, personal: 0, refused: 0, asked: 0 };
  app.provider.rotateRefreshTokens = true;
  try {
    const people = await settle(app, [app.url, `http://127.0.0.1:${http.port}`]);
    const pick = picker(random);
    let last = app.provider.requests.at(-1);
    while (figures.calls < calls) {
      await disturb(app, random);
      const batch = Array.from({ length: AT_ONCE }, () => randomCall(app, people, pick, random));
      await Promise.all(batch.map((call) => make(call, pick(call.caller.clients), random() < 0.5)));
      const { requests } = app.provider;
      figures.asked += requests.length - 1 - (last === undefined ? -1 : requests.lastIndexOf(last));
      last = requests.at(-1);
      figures.calls += batch.length;
      figures.personal += batch.filter(({ expected }) => expected.data !== undefined).length;
      figures.refused += batch.filter(({ expected }) => expected.data === undefined).length;
      progress(figures.calls);
    }
    return figures;
  } finally {
    await http.stop(1_000);
    await other.close();
  }
}

/** Registers some corporations of the simulated world with users who may log in and have refresh tokens. */
async function settle(app: TestApp, urls: readonly string[]): Promise<Person[]> {
  const { world } = app.provider;
  const corporations = world.corporations
    .filter(({ id, npc }) => !npc && world.membersOf(id).length >= PEOPLE_EACH)
    .slice(0, CORPORATIONS)
    .map(({ id }) => id);
  await addOrganizations(app, [{ corporations }]);
  await addCoalition(app, 'ea'.repeat(12), { corporations });
  const dyn = await makeToken(app, 'dyn', 0, uuidOf(app.root));
  const people: Person[] = [];
  for (const corporation of corporations) {
    for (const [n, id] of world.membersOf(corporation).slice(0, PEOPLE_EACH).entries()) {
      const level = LEVELS[n] ?? 0;
      await addUser(app, { id, level, corporation });
      await addGrant(app, id, SCOPES);
      const { jwt } = await makeToken(app, 'use', id, dyn.uuid);
      people.push({
        id,
        level,
        corporation,
        clients: urls.map((baseUrl) => createClient({ baseUrl, token: jwt })),
      });
    }
  }
  const wallets = people.map(({ id }) => wallet(world, characterOf(app, id)));
  if (new Set(wallets).size < CORPORATIONS * PEOPLE_EACH) throw new Error('two people cannot be told apart');
  return people;
}

/** Advances the clock; sometimes lets the access tokens expire, or empties the cache. */
async function disturb(app: TestApp, random: () => number): Promise<void> {
  app.clock.advance(1 + Math.floor(random() * LONGEST_STEP));
  if (random() < 0.05) await expireAccessTokens(app);
  if (random() < 0.1) await sql`delete from provider_cache`.execute(app.db);
  // Drops the statements collected so far, which would fill the memory.
  for (const lines of [app.logged, app.statements]) (lines as string[]).length = 0;
}

type Pick = <T>(from: readonly T[]) => T;

function picker(random: () => number): Pick {
  return (from) => from[Math.floor(random() * from.length)] as (typeof from)[number];
}

function characterOf(app: TestApp, id: number): Character {
  const character = app.provider.world.character(id);
  if (character === undefined) throw new Error(`no character ${id}`);
  return character;
}

function randomCall(app: TestApp, people: readonly Person[], pick: Pick, random: () => number): Call {
  const { world } = app.provider;
  const caller = pick(people);
  const target = random() < 0.5 ? caller : pick(people);
  // The provider refuses a request for another character's data.
  const honest = random() < 0.95;
  const behalf = honest && target !== caller ? target.id : null;
  const user = behalf === null ? caller : target;
  const call = { caller, behalf, allPages: false };
  if (!mayAsk(caller, user)) return { ...call, path: pathOf(target, 'skills'), expected: { status: 403 } };
  const kind = pick(['skills', 'wallet', 'location', 'assets', 'members', 'structure'] as const);
  const character = characterOf(app, user.id);
  const answer = (data: unknown) => ({ status: 200, code: 200, data });
  if (kind === 'members') {
    const path = `corporations/${target.corporation}/members`;
    return {
      ...call,
      path,
      expected:
        target.corporation === character.corporationId
          ? answer(world.membersOf(target.corporation))
          : REFUSED,
    };
  }
  if (kind === 'structure') {
    const id = structureOf(pick(people).corporation);
    const place = structure(world, id);
    const allowed = place !== undefined && mayDock(world, character, place);
    return { ...call, path: `universe/structures/${id}`, expected: allowed ? answer(place) : REFUSED };
  }
  const path = pathOf(target, kind);
  if (user !== target) return { ...call, path, expected: REFUSED };
  if (kind !== 'assets') return { ...call, path, expected: answer(SHEETS[kind](world, character)) };
  const page = (n: number) => assets(world, character, n, ITEMS_PER_PAGE);
  const allPages = random() < 0.5;
  const pages = Array.from({ length: allPages ? page(1).pages : 1 }, (_, n) => page(n + 1).items);
  return { ...call, path, allPages, expected: answer(pages.flat()) };
}

/** The provider's refusal, which is passed on. */
const REFUSED = { status: 403, code: 403 } as const;

const pathOf = ({ id }: Person, what: string) => `characters/${id}/${what}`;

/** Whether one user has read authority over another (D11, D12); none of them is in an alliance. */
function mayAsk(caller: Person, user: Person): boolean {
  const distance = caller === user ? 0 : caller.corporation === user.corporation ? 1 : 5;
  return caller.level >= distance;
}

/** Sends the call by POST or by GET. */
async function make(call: Call, client: Person['clients'][number], byGet: boolean): Promise<void> {
  const { path, behalf, allPages, expected, caller } = call;
  const params = { esi_path: path };
  const answer = byGet
    ? await client.ext.forwardGet({
        params,
        query: { all_pages: allPages, ...(behalf !== null && { on_behalf_of: behalf }) },
      })
    : await client.ext.forward({ params, body: { all_pages: allPages, on_behalf_of: behalf } });
  // The body says whether the provider or the service refused.
  const code = 'status_code' in answer.body ? answer.body.status_code : undefined;
  const got = {
    status: answer.status,
    ...(code !== undefined && { code }),
    ...(answer.status === 200 && { data: answer.body.data }),
  };
  if (isDeepStrictEqual(got, expected)) return;
  const asked = `${byGet ? 'GET' : 'POST'} ${path} by ${caller.id}, level ${caller.level}, for ${behalf}`;
  throw new Error(
    `${asked}: ${JSON.stringify(answer.body).slice(0, 300)}, not ${JSON.stringify(expected).slice(0, 300)}`,
  );
}
