import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Event } from '../../contract/event.ts';
import { sequence } from '../../dev/world/random.ts';
import { ok } from '../../sdk/src/index.ts';
import { ALLIANCE_LEVEL, CEO_LEVEL, MEMBER_LEVEL } from '../../server/access/clearance-levels.ts';
import { inTransaction } from '../../server/database/transaction.ts';
import { saveSnapshot } from '../../server/registry/save-snapshot.ts';
import { syncUsers } from '../../server/registry/sync-users.ts';
import { allEvents, misfits } from '../fixtures/events.ts';
import { letIn, storeSnapshot } from '../fixtures/registry.ts';
import { addUser, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';
import { meanwhile, untilBehind, untilWaiting } from '../harness/meanwhile.ts';
import { forgetProvider } from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';
import { atTwoProcesses, trySignIn } from '../harness/sign-in.ts';

const HOME = 98_000_011;
const ELSEWHERE = 98_000_012;
const UNKNOWN = 98_000_005;
const [FIRST, MOVING, SYNCED, JOINING] = [2_112_000_049, 2_112_000_055, 2_112_000_070, 2_112_000_078];

let app: TestApp;
let dyn: string;
let seen = 0;
beforeAll(async () => {
  app = await startTestApp();
  dyn = await app.dynamicToken();
  await letIn(app, { corporations: [HOME, ELSEWHERE] });
  for (const characterId of [MOVING, SYNCED, JOINING]) await signIn(characterId);
});
afterAll(() => app.stop());

async function news(): Promise<Event[]> {
  const events = await allEvents(app.db);
  const fresh = events.slice(seen);
  seen = events.length;
  return fresh;
}
beforeEach(async () => {
  await forgetProvider(app);
  await news();
});

async function signIn(characterId: number): Promise<void> {
  const { status } = await trySignIn(app, { characterId }, { dyn });
  if (status !== 302) throw new Error(`the sign-in ended with ${status}`);
}

/** Starts several operations, which wait for a lock of another connection, and lets them continue together. */
async function overlapping(lock: string, ...works: (() => Promise<unknown>)[]): Promise<void> {
  const other = new pg.Client({ connectionString: app.databaseUrl });
  await other.connect();
  try {
    await other.query('begin');
    await other.query(lock);
    const done = Promise.all(works.map((work) => work()));
    await untilWaiting(other, works.length);
    await other.query('commit');
    await done;
  } finally {
    await other.end();
  }
}

/** How often each change was recorded, except sign-ins and tokens, of which there are two. */
function timesTold(events: readonly Event[]): Record<string, number> {
  const times: Record<string, number> = {};
  for (const { type, targets } of events) {
    if (/^(user\.signed_in|token|grant)/.test(type)) continue;
    const change = `${type} ${targets[0]?.id}`;
    times[change] = (times[change] ?? 0) + 1;
  }
  return times;
}
const once = (told: Record<string, number>) =>
  Object.fromEntries(Object.keys(told).map((change) => [change, 1]));

describe('D91: a change that two concurrent operations make is recorded once', () => {
  it('by two registrations of a corporation', async () => {
    const params = { corporation_id: UNKNOWN };
    const register = () => ok(app.client(app.root).corporation.register({ params }));
    await overlapping('lock table corporations in share mode', register, register);
    const told = timesTold(await news());
    expect(told).toMatchObject({ [`corporation.registered ${UNKNOWN}`]: 1 });
    expect(Object.keys(told).some((change) => change.startsWith('user.registered'))).toBe(true);
    expect(told).toEqual(once(told));
  });

  it('by two refreshes of a corporation that has another CEO and ticker', async () => {
    const { world } = app.provider;
    const ceo = world.membersOf(UNKNOWN).find((id) => id !== world.corporation(UNKNOWN)?.ceoId) ?? 0;
    world.setCeo(UNKNOWN, ceo);
    const params = { corporation_id: UNKNOWN };
    const refresh = () => ok(app.client(app.root).corporation.register({ params }));
    await overlapping('lock table corporations in share mode', refresh, refresh);
    const told = timesTold(await news());
    expect(told).toMatchObject({ [`corporation.ceo_changed ${UNKNOWN}`]: 1, [`user.registered ${ceo}`]: 1 });
    expect(told).toEqual(once(told));
  });

  it('by two first sign-ins of a character', async () => {
    const first = () => signIn(FIRST);
    await atTwoProcesses(app, () => overlapping('lock table users in share mode', first, first));
    const told = timesTold(await news());
    expect(told).toMatchObject({ [`user.registered ${FIRST}`]: 1 });
    expect(told).toEqual(once(told));
  });

  it('by two sign-ins of a character that moved', async () => {
    app.provider.world.moveCharacter(MOVING, ELSEWHERE);
    const again = () => signIn(MOVING);
    await atTwoProcesses(app, () => overlapping('lock table users in share mode', again, again));
    const told = timesTold(await news());
    expect(told).toMatchObject({ [`user.moved ${MOVING}`]: 1, [`user.standing_changed ${MOVING}`]: 1 });
    expect(told).toEqual(once(told));
  });

  it('by a run of the sync and a sign-in', async () => {
    app.provider.world.moveCharacter(SYNCED, ELSEWHERE);
    const sync = () => syncUsers(app.app.services, testRun('sync-users'));
    const row = `select from users where character_id = ${SYNCED} for share`;
    await overlapping(row, sync, () => signIn(SYNCED));
    const told = timesTold(await news());
    expect(told).toMatchObject({ [`user.moved ${SYNCED}`]: 1 });
    expect(told).toEqual(once(told));
  });

  it('by a sign-in and a coalition that the corporation joins meanwhile', async () => {
    const { coalition } = app.client(app.root);
    const { coalition_id } = await ok(coalition.create({ body: { coalition_name: 'Pact', ticker: 'P' } }));
    const row = 'select from users where character_id = $1 for share';
    await meanwhile(
      app,
      row,
      [JOINING],
      () => signIn(JOINING),
      () => ok(coalition.update({ params: { coalition_id }, body: { add_member_corporations: [HOME] } })),
    );
    const told = timesTold(await news());
    expect(told).toMatchObject({ [`user.standing_changed ${JOINING}`]: 1 });
    expect(told).toEqual(once(told));
  });
});

it('D91: an update of a user who is registered after its locks, and moves, tells nothing of the move', async () => {
  const [id, uuid] = [2_192_900_001, uuidOf(app.root)];
  const mover = new pg.Client({ connectionString: app.databaseUrl });
  await mover.connect();
  let update: Promise<{ status: number }> | undefined;
  try {
    // The lock of the caller's token comes after those of users.
    await meanwhile(
      app,
      'select from tokens where uuid = $1 for update',
      [uuid],
      () => {
        const params = { character_id: id };
        update = app.client(app.root).user.update({ params, body: { clearance_level: ALLIANCE_LEVEL } });
        return Promise.race([update, untilBehind(mover, 1)]);
      },
      async () => {
        await addUser(app, { id, name: 'Sudden', corporation: HOME, level: MEMBER_LEVEL });
        await mover.query('begin');
        await mover.query('update users set corporation_id = $1 where character_id = $2', [ELSEWHERE, id]);
      },
    );
    await mover.query('commit');
  } finally {
    await mover.end();
  }
  expect(await update).toMatchObject({ status: 404 });
  expect((await news()).map(({ type }) => type)).toEqual([]);
});

it('D91: the caller of a registration who loses its login meanwhile is told of once, by whoever takes it', async () => {
  const [id, group_name] = [2_112_900_001, 'Registrars'];
  const root = app.client(app.root);
  const by = await callerAt(app, { id, level: 8 });
  const params = await ok(root.group.create({ body: { group_name } }));
  await ok(root.group.update({ params, body: { add_members: [`Character ${id}`] } }));
  await news();
  const answer = await meanwhile(
    app,
    'lock table corporations in share mode',
    [],
    () => by.corporation.register({ params: { corporation_id: HOME } }),
    () => ok(root.group.update({ params, body: { authorized_to_login: false } })),
  );
  expect(answer.status).toBe(200);
  const events = await news();
  expect(timesTold(events)).toMatchObject({ [`user.standing_changed ${id}`]: 1 });
  expect(misfits(events)).toEqual([]);
});

describe('D91: a former CEO who is registered while a snapshot waits', () => {
  const [LED, OTHER] = [98_930_001, 98_930_002];
  const CEO = { character_id: 2_193_000_001, character_name: 'Late', corporation_id: LED };
  const corporation = (corporation_id: number, ceo_id: number) => ({
    ...{ corporation_id, corporation_name: `Corporation ${corporation_id}`, ticker: 'C' },
    ...{ alliance_id: null, ceo_id, ceo_name: 'CEO' },
  });

  beforeEach(async () => {
    await app.db.deleteFrom('users').where('character_id', '=', CEO.character_id).execute();
    await storeSnapshot(app, {
      corporations: [corporation(LED, CEO.character_id), corporation(OTHER, 2_193_000_003)],
    });
    await news();
  });

  /** Stores another CEO; meanwhile, when all else is locked, the former one is registered and `happens`. */
  function depose(happens: (other: pg.Client) => Promise<unknown>, whenLocked?: () => Promise<unknown>) {
    return meanwhile(
      app,
      "select pg_advisory_xact_lock(hashtext('grouping of bodies'))",
      [],
      () => storeSnapshot(app, { corporations: [corporation(LED, 2_193_000_002)] }, whenLocked),
      async (other) => {
        await addUser(app, {
          id: CEO.character_id,
          name: CEO.character_name,
          corporation: LED,
          level: CEO_LEVEL,
        });
        await happens(other);
      },
    );
  }
  const standings = (events: readonly Event[]) =>
    events
      .filter(({ type }) => type === 'user.standing_changed')
      .map(({ changes }) => changes.filter(({ field }) => field !== 'coalitions'));

  it('and moves before it is stored: the move is told once', async () => {
    let moved: Promise<unknown> | undefined;
    /** Moves the CEO, and waits until that is done or waits in turn. */
    async function move(): Promise<void> {
      const look = new pg.Client({ connectionString: app.databaseUrl });
      await look.connect();
      moved = storeSnapshot(app, { characters: [{ ...CEO, corporation_id: OTHER }] });
      await Promise.race([moved, untilWaiting(look, 1)]);
      await look.end();
    }
    await depose(async () => undefined, move);
    await moved;
    const events = await news();
    expect(misfits(events)).toEqual([]);
    expect(events.filter(({ type }) => type === 'user.moved')).toHaveLength(1);
  });

  it('while somebody else, who changes nothing, has him locked: the loss of the office is told', async () => {
    const holder = new pg.Client({ connectionString: app.databaseUrl });
    await holder.connect();
    let deposed: Promise<unknown> | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        deposed = depose(async () => {
          await holder.query('begin');
          await holder.query('select from users where character_id = $1 for no key update', [
            CEO.character_id,
          ]);
          resolve();
        });
        deposed.catch(reject);
      });
      await untilBehind(holder, 1);
      await holder.query('commit');
    } finally {
      await holder.end();
    }
    await deposed;
    expect(standings(await news())).toEqual([
      [{ field: 'clearance_level', before: CEO_LEVEL, after: MEMBER_LEVEL }],
    ]);
  });

  it('and is deleted before it is stored: the deletion is told once', async () => {
    let deleted: Promise<unknown> | undefined;
    await depose(
      async () => undefined,
      async () => {
        const look = new pg.Client({ connectionString: app.databaseUrl });
        await look.connect();
        deleted = ok(app.client(app.root).user.delete({ params: { character_id: CEO.character_id } }));
        await Promise.race([deleted, untilWaiting(look, 1)]);
        await look.end();
      },
    );
    await deleted;
    const told = timesTold(await news());
    expect(told).toMatchObject({ [`user.deleted ${CEO.character_id}`]: 1 });
    expect(told).toEqual(once(told));
  });
});

// The events of each record must fit together from the first to the last --------------------------------

const ALLIANCES = [99_920_001, 99_920_002];
const CORPORATIONS = [98_920_001, 98_920_002, 98_920_003];
const CHARACTERS = Array.from({ length: 6 }, (_, n) => 2_192_000_001 + n);
const AT_ONCE = 6;
const ROUNDS = 15;

/** A snapshot of some organizations and characters in random order, with random memberships. */
function anySnapshot(random: () => number) {
  const one = <T>(of: readonly T[]) => of[Math.floor(random() * of.length)] as T;
  const some = <T>(of: readonly T[]) =>
    of
      .map((each) => ({ each, place: random() }))
      .filter(({ place }) => place < 0.7)
      .sort((a, b) => a.place - b.place)
      .map(({ each }) => each);
  return {
    alliances: some(ALLIANCES).map((alliance_id) => ({
      ...{ alliance_id, alliance_name: `Alliance ${alliance_id}`, ticker: one(['A', 'B']) },
      executor_corporation_id: CORPORATIONS[0] as number,
    })),
    corporations: some([...CORPORATIONS]).map((corporation_id) => ({
      ...{ corporation_id, corporation_name: `Corporation ${corporation_id}`, ticker: one(['C', 'D']) },
      ...{ alliance_id: one([...ALLIANCES, null]), ceo_id: one(CHARACTERS), ceo_name: 'CEO' },
    })),
    characters: some(CHARACTERS).map((character_id) => ({
      ...{ character_id, character_name: `Character ${character_id}`, corporation_id: one(CORPORATIONS) },
    })),
  };
}

it('D91: concurrent snapshots are recorded as if one came after another, without a deadlock', async () => {
  const random = sequence(20_261_122);
  const first = seen;
  // The executors of alliances must be registered.
  const organizations = { ...anySnapshot(() => 0), alliances: [], characters: [] };
  await inTransaction(app.db, (tx) => saveSnapshot(tx, organizations, app.clock.now()));
  const { user } = app.client(app.root);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, worker) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        if ((round + worker) % 5 === 0) {
          const params = { character_id: CHARACTERS[worker] as number };
          await user.update({ params, body: { clearance_level: 1 + (round % 6) } });
        } else {
          const snapshot = anySnapshot(random);
          await inTransaction(app.db, (tx) => saveSnapshot(tx, snapshot, app.clock.now()));
        }
      }
    }),
  );
  const events = (await allEvents(app.db)).slice(first);
  expect(events.length).toBeGreaterThan(AT_ONCE * ROUNDS);
  expect(misfits(events)).toEqual([]);
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(app.db);
  expect(rows).toEqual([{ deadlocks: 0 }]);
});
