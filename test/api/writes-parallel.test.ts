import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { inTransaction } from '../../server/database/transaction.ts';
import { saveSnapshot } from '../../server/registry/save-snapshot.ts';
import { addOrganizations, addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';
import { meanwhile } from '../harness/meanwhile.ts';

const ALLIANCE = 99_910_001;
const CORPORATIONS = [98_910_001, 98_910_002] as const;
const CALLERS = 6;
const ROUNDS = 20;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ connections: 8 });
  await addOrganizations(app, [{ alliance: ALLIANCE, corporations: CORPORATIONS }]);
});
afterAll(() => app.stop());

/** Of the simulated world: a corporation without an alliance, and an alliance. */
const [ALONE, WORLD_ALLIANCE] = [98_000_011, 99_000_001] as const;

const idOf = (n: number) => 2_191_000_000 + n;
const nameOf = (n: number) => `Character ${idOf(n)}`;

it('D14: administrators who concurrently change everything, each other included, cause no deadlock', async () => {
  const root = app.client(app.root);
  const clients: Client[] = [];
  for (let n = 0; n < CALLERS; n += 1) {
    clients.push(await callerAt(app, { id: idOf(n), level: 9, corporation: CORPORATIONS[0] }));
  }
  const groups = await Promise.all(
    [0, 1, 2].map((n) => ok(root.group.create({ body: { group_name: `Shared ${n}` } }))),
  );
  const coalitions = await Promise.all(
    [0, 1].map((n) => ok(root.coalition.create({ body: { coalition_name: `Pact ${n}`, ticker: 'P' } }))),
  );
  let made = CALLERS;
  const operations: ((by: Client, n: number) => Promise<{ status: number }>)[] = [
    (by, n) => {
      const body = { add_members: [nameOf(n % CALLERS), nameOf((n + 1) % CALLERS)], description: `${n}` };
      return by.group.update({ params: groups[n % 3] as (typeof groups)[0], body });
    },
    (by, n) => {
      const body = { members: [], owner: nameOf((n + 2) % CALLERS) };
      return by.group.update({ params: groups[(n + 1) % 3] as (typeof groups)[0], body });
    },
    (by, n) => {
      const body = { member_corporations: n % 2 === 0 ? [...CORPORATIONS] : [], ticker: `T${n}` };
      return by.coalition.update({ params: coalitions[n % 2] as (typeof coalitions)[0], body });
    },
    (by, n) => {
      const params = { character_id: idOf(n % CALLERS) };
      return by.user.update({ params, body: { clearance_level: 9 } });
    },
    (by) => by.corporation.createGuestCode({ params: { corporation_id: CORPORATIONS[0] } }),
    (by) =>
      by.corporation.update({
        params: { corporation_id: CORPORATIONS[0] },
        body: { mandatory_ext_scopes: [] },
      }),
    async (by) => {
      const id = idOf(++made);
      await addUser(app, { id, corporation: CORPORATIONS[1] });
      return by.user.delete({ params: { character_id: id } });
    },
    async (by) => {
      const { status, body } = await by.group.create({ body: { group_name: `Brief ${++made}` } });
      if (status !== 201) return { status };
      return by.group.delete({ params: body });
    },
    async (_, n) => {
      const { uuid, jwt } = await makeToken(app, 'per', idOf(n % CALLERS), uuidOf(app.root));
      const gone = root.token.delete({ query: { uuid } });
      return (
        await Promise.all([app.client(jwt).group.create({ body: { group_name: `Odd ${++made}` } }), gone])
      )[1];
    },
    async (_, n) => {
      const characters = [0, 1, 2].map((i) => ({
        character_id: idOf((n + i) % CALLERS),
        character_name: nameOf((n + i) % CALLERS),
        corporation_id: CORPORATIONS[n % 2] as number,
      }));
      const snapshot = { alliances: [], corporations: [], characters };
      await inTransaction(app.db, (tx) => saveSnapshot(tx, snapshot, app.clock.now()));
      return { status: 200 };
    },
    (by) => by.corporation.register({ params: { corporation_id: ALONE } }),
  ];
  const statuses = await Promise.all(
    clients.map(async (client, caller) => {
      const seen: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const operation = operations[(round * 7 + caller * 3) % operations.length];
        if (operation) seen.push((await operation(client, round + caller)).status);
      }
      return seen;
    }),
  );
  const unexpected = statuses.flat().filter((status) => ![200, 201, 403, 404].includes(status));
  expect(unexpected).toEqual([]);
  expect(app.logged.filter((line) => /deadlock|uncaught/.test(line))).toEqual([]);
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(app.db);
  expect(rows).toEqual([{ deadlocks: 0 }]);
});

describe('D14: a registration waits for its caller before it takes the lock of memberships,', () => {
  /** Ids at which the owner of the token is locked before its sponsor, and after it. */
  const [LOW, MIDDLE, HIGH] = [2_191_100_001, 2_191_100_002, 2_191_100_003] as const;

  beforeAll(async () => {
    for (const id of [LOW, MIDDLE, HIGH]) await callerAt(app, { id, level: 9 });
  });

  /** A user token of `owner` that was made from a permanent token of `sponsor`. */
  const sponsored = async (owner: number, sponsor: number): Promise<Client> => {
    const permanent = await makeToken(app, 'per', sponsor, uuidOf(app.root));
    return app.client((await makeToken(app, 'use', owner, permanent.uuid)).jwt);
  };
  type Register = (by: Client) => Promise<{ status: number }>;
  const corporation: Register = (by) => by.corporation.register({ params: { corporation_id: ALONE } });
  const alliance: Register = (by) => by.alliance.register({ params: { alliance_id: WORLD_ALLIANCE } });

  // A coalition change holds its caller when it asks for that lock: each would wait for the other.
  it.each([
    ['of a corporation', corporation, MIDDLE, MIDDLE, MIDDLE],
    ['of an alliance', alliance, MIDDLE, MIDDLE, MIDDLE],
    ['by a user token, for its owner', corporation, LOW, MIDDLE, LOW],
    ['by a user token, for whoever answers for it', corporation, MIDDLE, HIGH, HIGH],
  ])('%s', async (_, register, owner, sponsor, held) => {
    const by = await sponsored(owner, sponsor);
    let free: unknown;
    const answer = await meanwhile(
      app,
      'select from users where character_id = $1 for no key update',
      [held],
      () => register(by),
      async (other) => {
        const { rows } = await other.query(
          "select pg_try_advisory_xact_lock(hashtext('grouping of bodies')) as free",
        );
        free = rows[0]?.free;
      },
    );
    expect({ status: answer.status, free }).toEqual({ status: 200, free: true });
  });
});
