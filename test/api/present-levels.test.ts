import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { contract } from '../../contract/index.ts';
import { ok } from '../../sdk/src/index.ts';
import { authenticate } from '../../server/access/authenticate.ts';
import { registerAlliance } from '../../server/alliance/alliance.ts';
import { registerCorporation } from '../../server/corporation/corporation.ts';
import { storeLocationFor } from '../../server/history/location.ts';
import type { ProviderRequest } from '../../server/provider/client.ts';
import { setLevel } from '../fixtures/registry.ts';
import { addCoalition, addOrganizations, addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';
import { meanwhile, untilWaiting } from '../harness/meanwhile.ts';
import { needs, noAuthority } from '../harness/refusals.ts';

const OWN = { alliance: 99_900_001, corporation: 98_900_001 };
const OTHER = { alliance: 99_900_002, corporation: 98_900_002 };
/** Exists in the simulated game, and is not registered. */
const IN_GAME = { alliance: 99_000_001, corporation: 98_000_011 };
const COALITION = 'c9'.repeat(12);
const CALLBACK = 'http://127.0.0.1:9/app';

let app: TestApp;
let root: Client;
let lastId = 2_190_000_000;

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addOrganizations(app, [
    { alliance: OWN.alliance, corporations: [OWN.corporation] },
    { alliance: OTHER.alliance, corporations: [OTHER.corporation] },
  ]);
  await addCoalition(app, COALITION, { alliances: [OWN.alliance] });
});
afterAll(() => app.stop());

interface Somebody {
  readonly id: number;
  readonly client: Client;
}

async function somebody(level: number): Promise<Somebody> {
  const id = ++lastId;
  return { id, client: await callerAt(app, { id, level, corporation: OWN.corporation }) };
}

const DEMOTE = 'update users set clearance_level = $2 where character_id = $1';
const guest = async () => {
  await addUser(app, { id: ++lastId, level: -1, corporation: OWN.corporation });
  return lastId;
};
const bystander = async (level = 0) => {
  await addUser(app, { id: ++lastId, level, corporation: OWN.corporation });
  return lastId;
};
const group = async (owner?: Somebody) => {
  const { group_id } = await ok(root.group.create({ body: { group_name: `Group ${++lastId}` } }));
  if (owner) {
    const body = { owner: `Character ${owner.id}` };
    await ok(root.group.update({ params: { group_id }, body }));
  }
  return group_id;
};
const coalition = async () => {
  const body = { coalition_name: `Coalition ${++lastId}`, ticker: 'C' };
  return (await ok(root.coalition.create({ body }))).coalition_id;
};

type Answer = { readonly status: number; readonly body: unknown };
interface Write {
  readonly name: string;
  /** The level in the contract. */
  readonly level: number;
  /** Prepares a write; the returned function sends it. */
  readonly prepare: (by: Somebody) => Promise<() => Promise<Answer>>;
}

/** Every operation that needs a level and changes rights, members or records. */
const writes: readonly Write[] = [
  {
    name: 'coalition.create',
    level: 9,
    prepare: async ({ client }) => {
      const body = { coalition_name: `Coalition ${++lastId}`, ticker: 'C' };
      return () => client.coalition.create({ body });
    },
  },
  {
    name: 'coalition.update',
    level: 6,
    prepare: async ({ client }) => {
      const params = { coalition_id: COALITION };
      return () => client.coalition.update({ params, body: { ticker: `T${lastId % 1000}` } });
    },
  },
  {
    name: 'coalition.delete',
    level: 9,
    prepare: async ({ client }) => {
      const params = { coalition_id: await coalition() };
      return () => client.coalition.delete({ params });
    },
  },
  {
    name: 'group.create',
    level: 9,
    prepare: async ({ client }) => {
      const body = { group_name: `Group ${++lastId}` };
      return () => client.group.create({ body });
    },
  },
  {
    name: 'group.delete',
    level: 9,
    prepare: async ({ client }) => {
      const params = { group_id: await group() };
      return () => client.group.delete({ params });
    },
  },
  {
    name: 'user.delete',
    level: 9,
    prepare: async ({ client }) => {
      const params = { character_id: await bystander() };
      return () => client.user.delete({ params });
    },
  },
  {
    name: 'alliance.update',
    level: 4,
    prepare: async ({ client }) => {
      const params = { alliance_id: OWN.alliance };
      return () => client.alliance.update({ params, body: { mandatory_ext_scopes: [] } });
    },
  },
  {
    name: 'corporation.update',
    level: 2,
    prepare: async ({ client }) => {
      const params = { corporation_id: OWN.corporation };
      return () => client.corporation.update({ params, body: { mandatory_ext_scopes: [] } });
    },
  },
  {
    name: 'corporation.createGuestCode',
    level: 1,
    prepare: async ({ client }) => {
      const params = { corporation_id: OWN.corporation };
      return () => client.corporation.createGuestCode({ params });
    },
  },
  {
    name: 'corporation.deleteGuest',
    level: 2,
    prepare: async ({ client }) => {
      const params = { corporation_id: OWN.corporation, character_id: await guest() };
      return () => client.corporation.deleteGuest({ params });
    },
  },
  ...(['createDynamic', 'createPermanent'] as const).map((which) => ({
    name: `token.${which}`,
    level: 10,
    prepare:
      async ({ client }: Somebody) =>
      () =>
        client.token[which]({ body: { callback: CALLBACK } }),
  })),
  {
    name: 'token.delete',
    level: 10,
    prepare: async ({ client }) => {
      const { uuid } = await makeToken(app, 'per', 0, uuidOf(app.root));
      return () => client.token.delete({ query: { uuid } });
    },
  },
];

describe('D14: a write is authorized in its transaction, by the present rights of its caller', () => {
  it.each(writes)(
    '$name that waits for the demotion of its caller is refused',
    async ({ level, prepare }) => {
      const by = await somebody(level);
      const write = await prepare(by);
      const answer = await meanwhile(app, DEMOTE, [by.id, level - 1], write);
      expect(answer).toMatchObject({ status: 403, body: { detail: needs(level, level - 1) } });
      await setLevel(app, by.id, level);
      expect([200, 201]).toContain((await write()).status);
    },
  );

  it.each(writes)(
    '$name: so it is when who stands behind a token of the built-in user is demoted (D23)',
    async ({ name, level, prepare }) => {
      const by = await somebody(10);
      const { user_token } = await ok(by.client.token.createUserToken());
      // Making application tokens needs a permanent token.
      const write = await prepare(
        name.startsWith('token.create') ? by : { ...by, client: app.client(user_token) },
      );
      const answer = await meanwhile(app, DEMOTE, [by.id, level - 1], write);
      expect(answer).toMatchObject({ status: 403, body: { detail: needs(level, level - 1) } });
    },
  );

  it.each(writes)('$name: 401 when its token is deleted meanwhile (D20)', async ({ level, prepare }) => {
    const by = await somebody(level);
    const { uuid, jwt } = await makeToken(app, 'per', by.id, uuidOf(app.root));
    const write = await prepare({ ...by, client: app.client(jwt) });
    const answer = await meanwhile(app, 'delete from tokens where uuid = $1', [uuid], write);
    expect(answer).toMatchObject({
      status: 401,
      body: { detail: 'The token was revoked or is unknown.', code: 'token_revoked' },
    });
  });

  it("authorized_to_login: an owner who is demoted meanwhile does not set its group's (D15)", async () => {
    const by = await somebody(9);
    const params = { group_id: await group(by) };
    const answer = await meanwhile(app, DEMOTE, [by.id, 8], () =>
      by.client.group.update({ params, body: { authorized_to_login: true } }),
    );
    expect(answer).toMatchObject({
      status: 403,
      body: { detail: needs(9, 8, 'setting authorized_to_login'), code: 'level_too_low' },
    });
    expect(await ok(root.group.get({ params }))).toMatchObject({ authorized_to_login: null });
  });

  it("level 9 demoted meanwhile does not change another user's group (D15)", async () => {
    const by = await somebody(9);
    const params = { group_id: await group() };
    const answer = await meanwhile(app, DEMOTE, [by.id, 8], () =>
      by.client.group.update({ params, body: { description: 'taken' } }),
    );
    const detail = needs(9, 8, "changing somebody else's group");
    expect(answer).toMatchObject({ status: 403, body: { detail } });
    expect(await ok(root.group.get({ params }))).toMatchObject({ description: '' });
  });

  it('level 9 demoted meanwhile neither adds members to a coalition that bars them, nor strangers to any', async () => {
    for (const [authorized_to_login, level] of [
      [false, 8],
      [true, 7],
    ] as const) {
      const by = await somebody(9);
      const params = { coalition_id: await coalition() };
      const inside = { member_corporations: [OWN.corporation], authorized_to_login };
      // Members of a barred organization are refused anyway.
      await ok(root.coalition.update({ params, body: level === 8 ? { authorized_to_login } : inside }));
      const answer = await meanwhile(app, DEMOTE, [by.id, level], () =>
        by.client.coalition.update({ params, body: { add_member_alliances: [OTHER.alliance] } }),
      );
      expect(answer).toMatchObject({ status: 403 });
      expect((await ok(root.coalition.get({ params }))).member_alliances).toEqual([]);
    }
  });
});

describe('D14: while a registration waits for the provider', () => {
  it('a demotion takes effect, and nothing is stored', async () => {
    const { services } = app.app;
    for (const what of ['corporation', 'alliance'] as const) {
      const { id } = await somebody(8);
      const { jwt } = await makeToken(app, 'per', id, uuidOf(app.root));
      const demote = () => setLevel(app, id, 7);
      const client: typeof services.client = {
        ask: (request) => demote().then(() => services.client.ask(request)),
      };
      const rule = contract[what].register.metadata.access;
      const caller = await authenticate(services, `Bearer ${jwt}`);
      const admission = { caller, rule, params: {}, body: undefined, clock: app.clock };
      const registration =
        what === 'corporation'
          ? registerCorporation({ ...services, client }, admission, IN_GAME.corporation)
          : registerAlliance({ ...services, client }, admission, IN_GAME.alliance);
      await expect(registration).rejects.toMatchObject({ code: 'level_too_low', detail: needs(8, 7) });
    }
    const stored = [...(await ok(root.corporation.list())), ...(await ok(root.alliance.list()))];
    expect(stored).toHaveLength(4);
  });

  it('so does one while the registration waits to be stored', async () => {
    const by = await somebody(8);
    const params = { corporation_id: IN_GAME.corporation };
    await ok(root.corporation.register({ params }));
    const answer = await meanwhile(
      app,
      'select from corporations where corporation_id = $1 for update',
      [params.corporation_id],
      () => by.client.corporation.register({ params }),
      () => ok(root.user.update({ params: { character_id: by.id }, body: { clearance_level: 7 } })),
    );
    expect(answer).toMatchObject({ status: 403, body: { detail: needs(8, 7) } });
  });
});

describe('D14: while a location is fetched', () => {
  const RECORDS: Readonly<Record<string, unknown>> = {
    location: { solar_system_id: 30_000_142 },
    online: { online: true },
    ship: { ship_name: 'Second Thought', ship_type_id: 587 },
  };

  /** An officer asks for a member's location; meanwhile something happens. */
  async function locate(happens: (by: Somebody, member: number, uuid: string) => Promise<unknown>) {
    const [by, member] = [await somebody(1), await bystander()];
    const { jwt, uuid } = await makeToken(app, 'per', by.id, uuidOf(app.root));
    const caller = await authenticate(app.app.services, `Bearer ${jwt}`);
    const rule = contract.history.storeLocation.metadata.access;
    const admission = { caller, rule, params: { character_id: member }, body: undefined, clock: app.clock };
    const accounts: ProviderRequest['on'][] = [];
    const client = {
      ask: async ({ path, on }: ProviderRequest) => {
        accounts.push(on);
        if (path.endsWith('/ship')) await happens(by, member, uuid);
        return { status: 200, data: RECORDS[path.replace(/.*\//, '')], headers: {}, pages: 1 };
      },
    };
    const names = { find: async () => ({ names: new Map(), unasked: 0, failure: undefined }) };
    const services = { ...app.app.services, client, names } as unknown as typeof app.app.services;
    const outcome = await storeLocationFor(services, admission, member).then(
      (location) => ({ location, refused: undefined }),
      (refused) => ({ location: undefined, refused }),
    );
    const entries = await app.db
      .selectFrom('character_locations')
      .select('timestamp')
      .where('character_id', '=', member)
      .execute();
    return { ...outcome, by, member, accounts, stored: entries.length };
  }

  it('what it finds is stored and returned, at the cost of the caller (D33b)', async () => {
    const { location, by, member, accounts, stored } = await locate(async () => undefined);
    expect(location).toMatchObject({ ship_name: 'Second Thought', user: { character_id: member } });
    expect({ accounts, stored }).toEqual({ accounts: Array(3).fill({ caller: String(by.id) }), stored: 1 });
  });

  it('a demotion takes effect, and nothing is stored', async () => {
    const { refused, member, stored } = await locate((by) => setLevel(app, by.id, 0));
    const detail = noAuthority('read', `user ${member}`);
    expect({ refused, stored }).toMatchObject({ refused: { detail }, stored: 0 });
  });

  it('so does the deletion of its token (D20)', async () => {
    const { refused, stored } = await locate((_, __, uuid) => ok(root.token.delete({ query: { uuid } })));
    expect({ refused, stored }).toMatchObject({ refused: { code: 'token_revoked' }, stored: 0 });
  });

  it('404, and nothing is stored, when the character gets a new owner (D29b)', async () => {
    const { refused, stored } = await locate((_, id) =>
      app.db.updateTable('users').set({ owner_hash: 'another' }).where('character_id', '=', id).execute(),
    );
    expect({ refused, stored }).toMatchObject({ refused: { code: 'not_found' }, stored: 0 });
  });
});

describe('D14, D20: who had to wait for what he may not know any more is not told', () => {
  /** As if so many milliseconds had passed. */
  function later(milliseconds: number): void {
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + milliseconds);
  }
  afterEach(() => {
    vi.restoreAllMocks();
    app.provider.reset();
  });

  it.each<[string, (by: Somebody) => Promise<unknown>, object]>([
    ['a demotion', (by) => setLevel(app, by.id, 0), { status: 403, body: { code: 'no_authority' } }],
    [
      'the deletion of the token (D20)',
      (by) => app.db.deleteFrom('tokens').where('owner_id', '=', by.id).execute(),
      { status: 401, body: { code: 'token_revoked' } },
    ],
  ])('a read: %s', async (_, happens, refused) => {
    const [by, character_id] = [await somebody(1), await bystander()];
    const read = () => by.client.history.wallet({ params: { character_id } });
    expect(await read()).toMatchObject({ status: 200 });
    const lock = 'lock table character_wallets in access exclusive mode';
    const answer = await meanwhile(app, lock, [], read, async () => {
      await happens(by);
      later(5_000);
    });
    expect(answer).toMatchObject(refused);
  });

  it('a dry run of a job, which asks the game about everybody', async () => {
    const by = await somebody(10);
    let answer: () => void = () => undefined;
    const until = new Promise<void>((resolve) => {
      answer = resolve;
    });
    app.provider.reset();
    app.provider.faults.add('api', { kind: 'hold', until });
    const run = by.client.system.runJob({
      params: { job_id: 'refresh-organizations' },
      query: { dry_run: true },
    });
    await expect.poll(() => app.provider.requests.some(({ area }) => area === 'api')).toBe(true);
    await setLevel(app, by.id, 9);
    answer();
    expect(await run).toMatchObject({ status: 403, body: { detail: needs(10, 9) } });
  });
});

describe('D14: while a request waits for the lock of a coalition', () => {
  const LOCK = 'select from coalitions where coalition_id = $1 for update';
  const update = ({ client }: Somebody, coalition_id: string) =>
    client.coalition.update({ params: { coalition_id }, body: { ticker: 'LATE' } });
  const inside = async () => {
    const coalition_id = await coalition();
    const body = { member_corporations: [OWN.corporation] };
    await ok(root.coalition.update({ params: { coalition_id }, body }));
    return coalition_id;
  };

  it('a demotion does not wait, and takes effect', async () => {
    const [by, coalition_id] = [await somebody(6), await inside()];
    const answer = await meanwhile(
      app,
      LOCK,
      [coalition_id],
      () => update(by, coalition_id),
      () => ok(root.user.update({ params: { character_id: by.id }, body: { clearance_level: 5 } })),
    );
    expect(answer).toMatchObject({ status: 403, body: { detail: needs(6, 5) } });
  });

  it('so does the loss of the login permission (D27b)', async () => {
    const [by, coalition_id] = [await somebody(6), await inside()];
    const answer = await meanwhile(
      app,
      LOCK,
      [coalition_id],
      () => update(by, coalition_id),
      async () => {
        const params = { group_id: await group() };
        const body = { add_members: [`Character ${by.id}`], authorized_to_login: false };
        await ok(root.group.update({ params, body }));
      },
    );
    expect(answer).toMatchObject({ status: 401 });
  });

  it.each([
    ['the caller leaves its corporation', 'update users set corporation_id = null where character_id = $1'],
    [
      "the caller's corporation leaves the coalition",
      'delete from coalition_corporations where $1::bigint > 0',
    ],
  ])('so does it that %s', async (_, statement) => {
    const [by, coalition_id] = [await somebody(7), await inside()];
    const answer = await meanwhile(
      app,
      LOCK,
      [coalition_id],
      () => update(by, coalition_id),
      (other) => other.query(statement, [by.id]),
    );
    expect(answer).toMatchObject({
      status: 403,
      body: { detail: noAuthority('write', `coalition ${coalition_id}`) },
    });
  });

  it('once it is authorized, a demotion waits until the write is done', async () => {
    const [by, coalition_id] = [await somebody(6), await inside()];
    // An update of members waits for this lock after it was authorized.
    const GROUPING = `select pg_advisory_xact_lock(hashtext('grouping of bodies'))`;
    let demotion: Promise<unknown> = Promise.resolve();
    const answer = await meanwhile(
      app,
      GROUPING,
      [],
      () =>
        by.client.coalition.update({
          params: { coalition_id },
          body: { add_member_alliances: [OWN.alliance] },
        }),
      async (other) => {
        demotion = ok(root.user.update({ params: { character_id: by.id }, body: { clearance_level: 0 } }));
        const first = await Promise.race([
          demotion.then(() => 'the demotion'),
          untilWaiting(other, 2).then(() => 'the write'),
        ]);
        expect(first).toBe('the write');
      },
    );
    expect(answer.status).toBe(200);
    await demotion;
  });
});
