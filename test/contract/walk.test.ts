import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccessRule } from '../../contract/access.ts';
import { contract } from '../../contract/index.ts';
import { nameKey } from '../../server/database/name-key.ts';
import { objectId } from '../../server/database/object-id.ts';
import { addCoalition, addOrganizations, addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { faultInCode } from '../harness/refusals.ts';
import { send } from '../harness/send.ts';
import { forbidden, type Kind, RULES, type TurnedAway, turnedAway } from './rules.ts';

/** Everybody who calls is of HOME: an alliance with a second corporation, in a coalition with two others. */
const HOME = { alliance: 99_400_001, corporation: 98_400_001, sister: 98_400_002 };
const ALLY = { alliance: 99_400_002, corporation: 98_400_003 };
const ALLIED_CORPORATION = 98_400_004;
const FAR = { alliance: 99_400_003, corporation: 98_400_005 };
/** Registered in the simulated game, for the operations that ask there. */
const IN_GAME = { alliance: 99_000_001, corporation: 98_000_001 };

/** One record of each kind at each distance from a member of HOME (D11, D13). */
const CORPORATIONS = {
  1: HOME.corporation,
  3: HOME.sister,
  5: ALLIED_CORPORATION,
  7: FAR.corporation,
} as const;
const ALLIANCES = { 3: HOME.alliance, 5: ALLY.alliance, 7: FAR.alliance } as const;
const USERS = { 1: 2_130_000_001, 3: 2_130_000_003, 5: 2_130_000_005, 7: 2_130_000_007 } as const;

const LEVELS = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
/** The four kinds, and the user token of the built-in user, which is worth what its sponsor is (D23). */
const KINDS = ['none', 'dyn', 'per', 'use', 'sponsored'] as const;
type CallerKind = (typeof KINDS)[number];

interface Caller {
  readonly kind: CallerKind;
  readonly level: number;
  readonly userId: number;
  readonly jwt: string | undefined;
}

let app: TestApp;
const callers: Caller[] = [];
let made = 0;

beforeAll(async () => {
  app = await startTestApp();
  await addOrganizations(app, [
    { alliance: HOME.alliance, corporations: [HOME.corporation, HOME.sister] },
    { alliance: ALLY.alliance, corporations: [ALLY.corporation] },
    { corporations: [ALLIED_CORPORATION] },
    { alliance: FAR.alliance, corporations: [FAR.corporation] },
  ]);
  await addCoalition(app, 'c1'.repeat(12), {
    alliances: [HOME.alliance, ALLY.alliance],
    corporations: [ALLIED_CORPORATION],
  });
  for (const [distance, id] of Object.entries(USERS)) {
    await addUser(app, { id, corporation: CORPORATIONS[Number(distance) as keyof typeof CORPORATIONS] });
  }
  callers.push({ kind: 'none', level: 0, userId: 0, jwt: undefined });
  for (const level of LEVELS) {
    const userId = 2_140_000_000 + level;
    await addUser(app, { id: userId, level, corporation: HOME.corporation });
    for (const kind of KINDS.slice(1))
      callers.push({ kind, level, userId, jwt: await tokenFor(kind, userId) });
  }
});
afterAll(() => app.stop());

async function tokenFor(kind: CallerKind, owner: number): Promise<string> {
  if (kind === 'sponsored') {
    const sponsor = await makeToken(app, 'per', owner);
    return (await makeToken(app, 'use', 0, sponsor.uuid)).jwt;
  }
  const parent = kind === 'use' ? (await makeToken(app, 'dyn', 0, uuidOf(app.root))).uuid : undefined;
  return (await makeToken(app, kind as 'dyn', owner, parent)).jwt;
}

/** What is sent. Everything in it fits the schemas, so that beyond the gate the operation itself answers. */
interface Request {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: string;
  readonly body?: unknown;
  /** Calls with this token in place of the caller's. */
  readonly token?: string | undefined;
}

interface Walk {
  /** Makes a request, and the record that it is about, anew for each call. */
  readonly request?: (caller: Caller, distance: number) => Request | Promise<Request>;
  /** Distances from a member of HOME at which there is something to touch. */
  readonly distances?: readonly number[];
  /** Statuses beyond the gate; 200 where left out. */
  readonly answers?: readonly number[];
  /** How the operation itself refuses, once the gate is passed: by the decisions, not by the contract. */
  readonly refuses?: (caller: Caller, distance: number, request: Request) => TurnedAway | undefined;
}

const corporation = (_: Caller, distance: number) => ({
  params: { corporation_id: CORPORATIONS[distance as 1] },
});
const alliance = (_: Caller, distance: number) => ({ params: { alliance_id: ALLIANCES[distance as 3] } });
const character = (_: Caller, distance: number) => ({ params: { character_id: USERS[distance as 1] } });
const corporations = { request: corporation, distances: [1, 3, 5, 7] };
const alliances = { request: alliance, distances: [3, 5, 7] };
const histories = { request: character, distances: [1, 3, 5, 7] };
const appTokenBody = () => ({ body: { callback: 'http://127.0.0.1:9/app' } });
const unique = () => `Walked ${++made}`;

/** One record for each distance, for operations that only read it. */
function once(request: NonNullable<Walk['request']>): NonNullable<Walk['request']> {
  const made = new Map<number, ReturnType<typeof request>>();
  return (caller, distance) => {
    const known = made.get(distance) ?? request(caller, distance);
    made.set(distance, known);
    return known;
  };
}

async function crashReport(): Promise<Request> {
  const id = objectId(app.clock.now());
  const request = JSON.stringify({ headers: {}, method: 'GET', params: {}, url: '/' });
  await app.db.insertInto('crash_reports').values({ id, request, token: null, trace: 'Error' }).execute();
  return { params: { crash_report_id: id } };
}

async function oidcClient(): Promise<Request> {
  const name = unique();
  const client_id = objectId(app.clock.now());
  await app.db
    .insertInto('oidc_clients')
    .values({
      ...{ client_id, client_name: name, name_key: nameKey(name), secret_hash: 'a'.repeat(64) },
      ...{ redirect_uris: ['https://wiki.example/back'], post_logout_redirect_uris: [] },
      ...{ backchannel_logout_uri: null, id_token_alg: null, first_party: false, restricted: false },
      last_used_on: null,
    })
    .execute();
  return { params: { client_id } };
}

/** A coalition that the callers' corporation is a member of, or nobody. */
async function coalition(_: Caller, distance: number): Promise<{ params: { coalition_id: string } }> {
  const coalition_id = objectId(app.clock.now());
  await addCoalition(app, coalition_id, distance === 5 ? { corporations: [HOME.corporation] } : {}, null);
  return { params: { coalition_id } };
}
const coalitions = { request: once(coalition), distances: [5, 7] };

async function group(owner: number): Promise<{ params: { group_id: string } }> {
  const group_id = objectId(app.clock.now());
  const group_name = unique();
  await app.db.transaction().execute(async (tx) => {
    const row = { group_id, group_name, name_key: nameKey(group_name), owner_id: owner };
    await tx
      .insertInto('groups')
      .values({ ...row, authorized_to_login: null })
      .execute();
    await tx.insertInto('group_members').values({ group_id, character_id: owner }).execute();
  });
  return { params: { group_id } };
}

async function user(distance: number, level = 0): Promise<Request> {
  const id = 2_150_000_000 + ++made;
  await addUser(app, { id, level, corporation: CORPORATIONS[distance as 1] });
  return { params: { character_id: id } };
}

/** The id of a new person of one. */
async function solePerson(): Promise<string> {
  const { params } = await user(7);
  return Number(params?.['character_id']).toString(16).padStart(24, '0');
}

/** Who calls, as the operation sees it: the built-in user for a sponsored token. */
function ownerOf({ kind, userId }: Caller): number {
  return kind === 'sponsored' ? 0 : userId;
}

const notDeciding = (level: number) =>
  forbidden(`deciding somebody else's applications needs 9, and the token's owner has ${level}`);

const WALKS: Readonly<Record<string, Walk>> = {
  'alliance.list': {},
  'alliance.get': alliances,
  'alliance.tracking': alliances,
  'alliance.compliance': alliances,
  'alliance.complianceDays': alliances,
  'alliance.register': { request: () => ({ params: { alliance_id: IN_GAME.alliance } }) },
  'alliance.update': { ...alliances, request: (...given) => ({ ...alliance(...given), body: {} }) },
  'audit.list': {},
  'callback.ext': { answers: [400] },
  'coalition.list': {},
  'coalition.get': { request: once(coalition) },
  'coalition.create': {
    request: () => ({ body: { coalition_name: unique(), ticker: 'W' } }),
    answers: [201],
  },
  'coalition.update': {
    distances: coalitions.distances,
    request: async (...given) => ({ ...(await coalition(...given)), body: { ticker: 'W' } }),
  },
  'coalition.delete': { request: coalition },
  'coalition.tracking': coalitions,
  'coalition.compliance': coalitions,
  'coalition.complianceDays': coalitions,
  'corporation.list': {},
  'corporation.get': corporations,
  'corporation.tracking': corporations,
  'corporation.compliance': corporations,
  'corporation.complianceDays': corporations,
  'corporation.register': { request: () => ({ params: { corporation_id: IN_GAME.corporation } }) },
  'corporation.update': { ...corporations, request: (...given) => ({ ...corporation(...given), body: {} }) },
  'corporation.listGuests': corporations,
  'corporation.createGuestCode': corporations,
  'corporation.deleteGuest': {
    ...corporations,
    request: async (_, distance) => {
      const guest = await user(distance, -1);
      return { params: { corporation_id: CORPORATIONS[distance as 1], ...guest.params } };
    },
  },
  'crash.list': {},
  'crash.get': { request: once(crashReport) },
  'crash.delete': { request: crashReport },
  // What the game says is not the gate's business: any answer of the operation's own will do.
  'event.list': {},
  'ext.forward': {
    request: () => ({ params: { esi_path: 'status' }, body: {} }),
    answers: [200, 404, 422, 502],
  },
  'ext.forwardGet': { request: () => ({ params: { esi_path: 'status' } }), answers: [200, 404, 422, 502] },
  'history.locations': histories,
  'history.mails': histories,
  'history.mail': {
    ...histories,
    request: (...given) => ({ params: { ...character(...given).params, mail_id: 1 } }),
    answers: [404],
  },
  'history.skillPoints': histories,
  'history.wallet': histories,
  'history.storeLocation': { ...histories, answers: [404] },
  'group.list': {},
  'group.get': { request: once(() => group(USERS[1])) },
  'group.create': { request: () => ({ body: { group_name: unique() } }), answers: [201] },
  'group.update': {
    // 0: the caller's own group, 7: another's.
    distances: [0, 7],
    request: async (caller, distance) => ({
      ...(await group(distance === 0 ? ownerOf(caller) : USERS[1])),
      body: { description: 'changed' },
    }),
    // The built-in user owns on behalf of whoever sponsored the token: its level alone counts (D23).
    refuses: ({ kind, level }, distance) =>
      level >= 9 || (distance === 0 && kind !== 'sponsored')
        ? undefined
        : forbidden(`changing somebody else's group needs 9, and the token's owner has ${level}`),
  },
  'group.delete': { request: () => group(USERS[1]) },
  'group.joinable': {},
  'group.policy': { request: once(() => group(USERS[1])) },
  'group.setPolicy': {
    distances: [0, 7],
    request: async (caller, distance) => ({
      ...(await group(distance === 0 ? ownerOf(caller) : USERS[1])),
      body: { grace_hours: 1 },
    }),
    refuses: ({ kind, level }, distance) =>
      level >= 9 || (distance === 0 && kind !== 'sponsored')
        ? undefined
        : forbidden(`changing somebody else's group needs 9, and the token's owner has ${level}`),
  },
  'group.apply': {
    request: async () => ({ ...(await group(USERS[1])), body: {} }),
    answers: [409],
    refuses: ({ kind }) => (kind === 'sponsored' ? forbidden('The built-in user joins no group') : undefined),
  },
  'group.applications': {
    distances: [0, 7],
    request: (caller, distance) => group(distance === 0 ? ownerOf(caller) : USERS[1]),
    refuses: ({ kind, level }, distance) =>
      level >= 9 || (distance === 0 && kind !== 'sponsored') ? undefined : notDeciding(level),
  },
  'group.leave': {
    request: () => group(USERS[1]),
    answers: [404],
    refuses: ({ kind, level }) =>
      kind === 'sponsored' && level < 9
        ? forbidden(`this needs 9, and the token's owner has ${level}`)
        : undefined,
  },
  'application.list': {},
  'application.decide': {
    request: () => ({ params: { application_id: '0'.repeat(24) }, body: { decision: 'rejected' } }),
    answers: [404],
    refuses: ({ level }) => (level >= 9 ? undefined : notDeciding(level)),
  },
  'application.withdraw': {
    request: () => ({ params: { application_id: '0'.repeat(24) } }),
    answers: [404],
  },
  'person.current': {},
  'person.link': {
    // Nobody's token: what is wrong with it is the operation's business.
    request: () => ({ body: { user_token: 'x.x.x' } }),
    answers: [422],
  },
  'person.unlink': { request: () => ({ params: { character_id: USERS[7] } }), answers: [404] },
  'person.update': {
    request: () => ({ body: { main: USERS[7] } }),
    answers: [404],
  },
  'person.merge': {
    request: async () => ({
      params: { person_id: await solePerson() },
      body: { person_id: await solePerson(), reason: 'Walked.' },
    }),
  },
  'person.split': {
    request: async () => ({
      params: { person_id: await solePerson() },
      body: { characters: [1], reason: 'Walked.' },
    }),
    answers: [404],
  },
  'person.history': { request: once(async () => ({ params: { person_id: await solePerson() } })) },
  'oidc.listClients': {},
  'oidc.getClient': { request: once(oidcClient) },
  'oidc.createClient': {
    request: () => ({ body: { client_name: unique(), redirect_uris: ['https://wiki.example/back'] } }),
    answers: [201],
  },
  'oidc.updateClient': { request: async () => ({ ...(await oidcClient()), body: { first_party: true } }) },
  'oidc.deleteClient': { request: oidcClient },
  'oidc.renewSecret': { request: oidcClient },
  'system.configuration': {},
  'system.held': {},
  'system.jobs': {},
  'system.status': {},
  'system.runJob': { request: () => ({ params: { job_id: 'maintenance' } }) },
  'token.current': {},
  'token.delete': {
    request: async () => ({ query: `?uuid=${(await makeToken(app, 'per', 0, uuidOf(app.root))).uuid}` }),
  },
  'token.createDynamic': { request: appTokenBody },
  'token.createPermanent': { request: appTokenBody },
  'token.startLogin': { request: () => ({ body: {} }) },
  'token.createUserToken': {},
  'token.logout': {
    request: async ({ kind, userId, jwt }) => ({ token: jwt && (await tokenFor(kind, userId)) }),
  },
  'user.list': {},
  'user.get': { request: () => ({ params: { character_name: `Character ${USERS[7]}` } }) },
  'user.groups': { request: () => ({ params: { character: USERS[7] } }) },
  'user.person': {
    distances: [1, 3, 5, 7],
    request: (_, distance) => ({ params: { character: USERS[distance as 1] } }),
    refuses: ({ level }, distance, { params }) =>
      level >= distance ? undefined : forbidden(`no read authority over user ${params?.character}`),
  },
  'user.why': {
    distances: [1, 3, 5, 7],
    request: (_, distance) => ({
      params: { character: USERS[distance as 1] },
      query: '?about=level',
    }),
    refuses: ({ level }, distance, { params }) =>
      level >= distance ? undefined : forbidden(`no read authority over user ${params?.character}`),
  },
  'user.update': {
    distances: [1, 3, 5, 7],
    request: async (_, distance) => ({ ...(await user(distance)), body: { clearance_level: 0 } }),
    // D16, for a new level 0 and a target of level 0.
    refuses: ({ level }, distance, { params }) =>
      level >= distance + 1 ? undefined : forbidden(`no write authority over user ${params?.character_id}`),
  },
  'user.delete': { request: () => user(7) },
  'voice.start': { answers: [404] },
  'voice.complete': { answers: [404] },
  'webhook.list': {},
  'webhook.create': {
    request: () => ({ body: { url: 'http://127.0.0.1:9/in', types: ['crash.*'] } }),
  },
  'webhook.get': { request: webhook },
  'webhook.update': {
    request: async (caller) => ({ ...(await webhook(caller)), body: { ordered: true } }),
  },
  'webhook.delete': { request: webhook },
  'webhook.rotate': { request: webhook },
  'webhook.test': { request: webhook },
  'webhook.listDeliveries': { request: webhook },
  'webhook.retry': { request: webhook },
  'webhook.replay': { request: async (caller) => ({ ...(await webhook(caller)), body: { after: 0 } }) },
};

/** A webhook with a delivery: the caller's own where it is an application, else the built-in user's. */
async function webhook({ kind, jwt }: Caller): Promise<Request> {
  const isApp = jwt !== undefined && (kind === 'dyn' || kind === 'per');
  const webhook_id = objectId(app.clock.now());
  await app.db
    .insertInto('webhooks')
    .values({
      ...{ webhook_id, app_token: isApp ? uuidOf(jwt) : null, owner_id: isApp ? null : 0 },
      ...{ url: 'http://127.0.0.1:9/in', types: ['crash.*'], group_ids: null, ordered: false, position: 0 },
      ...{ secret: Buffer.from(''), former_secret: null, former_until: null, disabled_on: null },
      ...{ disabled_because: null, paused_until: null },
    })
    .execute();
  const delivery_id = randomUUID();
  await app.db
    .insertInto('webhook_deliveries')
    .values({
      webhook_id,
      delivery_id,
      type: 'crash.deleted',
      position: 1,
      state: 'failed',
      next_try_on: null,
    })
    .execute();
  return { params: { webhook_id, delivery_id } };
}

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly metadata: { readonly access: AccessRule | 'public' };
}

const operations: Operation[] = Object.entries(contract).flatMap(([resource, routes]) =>
  Object.entries(routes).map(([operation, route]) => ({
    ...(route as Operation),
    name: `${resource}.${operation}`,
  })),
);

/** Distance of a caller to what is `distance` away from a member of HOME: the built-in user is far from all. */
function distanceFor({ kind }: Caller, distance: number): number {
  return kind === 'sponsored' && distance !== 0 ? 7 : distance;
}

async function call(
  { method, path }: Operation,
  { params = {}, query = '', ...request }: Request,
  jwt?: string,
) {
  const target = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? name));
  const token = 'token' in request ? request.token : jwt;
  return send(app, method, target + query, { token, body: request.body });
}

describe('Must show 7: every operation × token kind × level × authority', () => {
  it('the rules written down here are for every operation of the contract, and for no other', () => {
    const names = operations.map(({ name }) => name).sort();
    expect(Object.keys(RULES).sort()).toEqual(names);
    expect(Object.keys(WALKS).sort()).toEqual(names);
    expect(names.length).toBeGreaterThan(52);
  });

  it('D18: an operation is walked with and without authority where its metadata asks for it', () => {
    for (const { name, metadata } of operations) {
      const declared = metadata.access !== 'public' && metadata.access.authority !== undefined;
      expect(RULES[name]?.authority !== undefined, name).toBe(declared);
      if (declared) expect(WALKS[name]?.distances?.length, name).toBeGreaterThan(1);
    }
  });

  it.each(operations)('$name', async (operation) => {
    const rule = RULES[operation.name] as (typeof RULES)[string];
    const { request = () => ({}), distances = [7], answers = [200], refuses } = WALKS[operation.name] as Walk;
    const wrong: string[] = [];
    // Whoever is turned away touches nothing, so all of them may ask for the same record.
    const untouched = new Map(
      await Promise.all(
        distances.map(async (away) => [away, await request(callers[0] as Caller, away)] as const),
      ),
    );
    const visit = async (caller: Caller, away: number) => {
      const distance = distanceFor(caller, away);
      const kind: Kind = caller.kind === 'sponsored' ? 'use' : caller.kind;
      const refusalOf = (asked: Request) => {
        const { params = {} } = asked;
        return (
          turnedAway(rule, { kind, level: caller.level, distance, params }) ??
          refuses?.(caller, distance, asked)
        );
      };
      const shared = untouched.get(away) as Request;
      // At distance 0 the record is the caller's own.
      const own = away === 0 || 'token' in shared || refusalOf(shared) === undefined;
      const asked = own ? await request(caller, away) : shared;
      const refusal = refusalOf(asked);
      const { status, json } = await call(operation, asked, caller.jwt);
      const fits =
        refusal === undefined
          ? answers.includes(status)
          : status === refusal.status && json?.detail === refusal.detail;
      const fault = status >= 400 && operation.name !== 'callback.ext' && faultInCode(status, json);
      if (fault) wrong.push(`${caller.kind} of level ${caller.level} at ${distance}: ${fault}`);
      if (fits) return;
      const expected = refusal === undefined ? answers.join(' or ') : `${refusal.status} ${refusal.detail}`;
      wrong.push(
        `${caller.kind} of level ${caller.level} at ${distance}: ${status} ${JSON.stringify(json?.detail)} instead of ${expected}`,
      );
    };
    await Promise.all(
      callers.map(async (caller) => {
        for (const away of distances) await visit(caller, away);
      }),
    );
    expect(wrong).toEqual([]);
  });
});
