import { sql, type Transaction } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Coalition, type Group, ok } from '../../sdk/src/index.ts';
import { changeMembers } from '../../server/coalition/coalition.queries.ts';
import type { Database } from '../../server/database/tables.ts';
import { inTransaction } from '../../server/database/transaction.ts';
import { ensureAutogroups } from '../../server/group/autogroup.queries.ts';
import type { ProviderSnapshot } from '../../server/registry/provider-snapshot.ts';
import { saveSnapshot } from '../../server/registry/save-snapshot.ts';
import { addOrganizations, addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';
import { countWaiting, meanwhile, untilWaiting } from '../harness/meanwhile.ts';
import { occupy } from '../harness/occupy.ts';
import { replay, type Step, tick } from '../harness/serial.ts';

const PARALLEL = 50;
const CORPORATIONS = Array.from({ length: PARALLEL }, (_, i) => 98_700_000 + i);
const ALLIANCES = Array.from({ length: 10 }, (_, i) => 99_700_000 + i);
const HOME = 98_709_999;
const UNPEOPLED = 98_708_001;

let app: TestApp;
let root: Client;

beforeAll(async () => {
  app = await startTestApp({ connections: 8 });
  root = app.client(app.root);
  tick(app.clock);
  await addOrganizations(app, [
    { corporations: [...CORPORATIONS, HOME] },
    ...ALLIANCES.map((alliance, i) => ({ alliance, corporations: [98_701_000 + i] })),
  ]);
  for (const id of CORPORATIONS) await addUser(app, { id, corporation: HOME, name: nameOf(id) });
});
afterEach(async () => {
  expect(app.logged.filter((line) => /deadlock|uncaught/.test(line))).toEqual([]);
});
afterAll(async () => {
  const { rows } = await sql<{ deadlocks: number }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(app.db);
  expect(rows).toEqual([{ deadlocks: 0 }]);
  await app.stop();
});

const nameOf = (id: number) => `Pilot ${id}`;

/** Stores a snapshot with the first member of a corporation. */
function joins(corporation_id: number): Promise<unknown> {
  const pilot = { character_id: corporation_id, character_name: nameOf(corporation_id), corporation_id };
  return inTransaction(app.db, (tx) =>
    saveSnapshot(tx, { alliances: [], corporations: [], characters: [pilot] }, app.clock.now()),
  );
}

/** The number of answers by status. */
async function tally(requests: Promise<{ status: number }>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of await Promise.all(requests)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Retries a 503: on a slow machine so many requests may wait too long for a connection, and then nothing was done. */
async function patiently<A extends { status: number }>(call: () => Promise<A>): Promise<A> {
  const answer = await call();
  return answer.status === 503 ? patiently(call) : answer;
}

interface State {
  readonly text: string;
  readonly one: readonly number[];
  readonly other: readonly number[];
}

/** Sorted and distinct, without the removed ones. */
const list = (ids: Iterable<number>, without?: number) =>
  [...new Set(ids)].filter((id) => id !== without).sort((a, b) => a - b);

/** The i-th update: every fourth replaces the whole list, the others add one, remove one and set the text. */
const REPLACED_BY = 4;
const replaces = (i: number) => i % REPLACED_BY === 3;
const removedBy = (i: number) => CORPORATIONS[(i * 7) % PARALLEL] as number;
const replacementOf = (i: number) => CORPORATIONS.slice(i % 30, (i % 30) + 20);

describe('50 parallel updates end in the state that some serial order gives', () => {
  it('of one coalition', async () => {
    const start = await ok(root.coalition.create({ body: { coalition_name: 'Busy', ticker: 'B' } }));
    const stateOf = (coalition: Coalition): State => ({
      text: coalition.ticker,
      one: list(coalition.member_corporations.map((member) => member.corporation_id)),
      other: list(coalition.member_alliances.map((member) => member.alliance_id)),
    });
    const steps = await Promise.all(
      CORPORATIONS.map(async (id, i): Promise<Step<State>> => {
        const allianceId = ALLIANCES[i % ALLIANCES.length] as number;
        const body = replaces(i)
          ? { member_corporations: replacementOf(i), remove_member_alliances: [allianceId] }
          : {
              add_member_corporations: [id],
              remove_member_corporations: [removedBy(i)],
              add_member_alliances: [allianceId],
              ticker: `T${i}`,
            };
        const answer = await ok(patiently(() => root.coalition.update({ params: start, body })));
        return {
          apply: ({ text, one, other }) =>
            replaces(i)
              ? { text, one: list(replacementOf(i)), other: list(other, allianceId) }
              : { text: `T${i}`, one: list([...one, id], removedBy(i)), other: list([...other, allianceId]) },
          answered: stateOf(answer),
          updatedOn: answer.updated_on,
        };
      }),
    );
    const end = replay(stateOf(start), steps);
    expect(stateOf(await ok(root.coalition.get({ params: start })))).toEqual(end);
  });

  it('of one group', async () => {
    const start = await ok(root.group.create({ body: { group_name: 'Busy' } }));
    const stateOf = (group: Group): State => ({
      text: group.description,
      one: list(group.members.map((member) => member.character_id)),
      other: [group.owner?.character_id ?? -1],
    });
    const steps = await Promise.all(
      CORPORATIONS.map(async (id, i): Promise<Step<State>> => {
        const body = replaces(i)
          ? { members: replacementOf(i).map(nameOf) }
          : {
              add_members: [nameOf(id)],
              remove_members: [nameOf(removedBy(i))],
              description: `T${i}`,
              ...(i % 2 === 0 && { owner: nameOf(id) }),
            };
        const answer = await ok(patiently(() => root.group.update({ params: start, body })));
        return {
          apply: ({ text, one, other }) => {
            if (replaces(i)) return { text, one: list([...replacementOf(i), ...other]), other };
            const owner = i % 2 === 0 ? [id] : other;
            return {
              text: `T${i}`,
              one: list([...list([...one, id], removedBy(i)), ...owner]),
              other: owner,
            };
          },
          answered: stateOf(answer),
          updatedOn: answer.updated_on,
        };
      }),
    );
    const end = replay(stateOf(start), steps);
    expect(stateOf(await ok(root.group.get({ params: start })))).toEqual(end);
  });
});

describe('names', () => {
  it('of 20 parallel creations with one name one succeeds, the others are a 409 (D7)', async () => {
    const tries = Array.from({ length: 20 }, (_, i) => i);
    const coalition_name = 'Wanted';
    expect(
      await tally(tries.map((i) => root.coalition.create({ body: { coalition_name, ticker: `${i}` } }))),
    ).toEqual({ 201: 1, 409: 19 });
    expect(await tally(tries.map(() => root.group.create({ body: { group_name: 'Wanted' } })))).toEqual({
      201: 1,
      409: 19,
    });
  });

  it('go to a hand-made group or to the autogroup, never to both, and nobody fails (D18b)', async () => {
    const corporations = Array.from({ length: 15 }, (_, i) => 98_702_000 + i);
    await addOrganizations(app, [{ corporations }]);
    const groupNames = corporations.map((id) => `Corporation ${id}`);
    const [answers] = await Promise.all([
      tally(groupNames.map((group_name) => root.group.create({ body: { group_name } }))),
      ...corporations.map(joins),
    ]);
    expect((answers[201] ?? 0) + (answers[409] ?? 0)).toBe(corporations.length);
    const made = await app.db
      .selectFrom('groups')
      .select(['group_name', 'corporation_id'])
      .where('corporation_id', 'in', corporations)
      .execute();
    expect(made).toHaveLength(corporations.length);
    const suffixed = made.filter((group) =>
      group.group_name.endsWith(`(corporation ${group.corporation_id})`),
    );
    expect(suffixed).toHaveLength(answers[201] ?? 0);
  });
});

describe('records that are deleted meanwhile', () => {
  it('coalitions that are deleted while somebody becomes their first member', async () => {
    const corporations = Array.from({ length: 10 }, (_, i) => 98_703_000 + i);
    await addOrganizations(app, [{ corporations }]);
    const coalitions = await Promise.all(
      corporations.map(async (id) => {
        const made = await ok(
          root.coalition.create({ body: { coalition_name: `Brief ${id}`, ticker: 'B' } }),
        );
        return ok(root.coalition.update({ params: made, body: { add_member_corporations: [id] } }));
      }),
    );
    const [deleted] = await Promise.all([
      tally(coalitions.map((params) => root.coalition.delete({ params }))),
      ...corporations.map(joins),
    ]);
    expect(deleted).toEqual({ 200: corporations.length });
    const left = await app.db
      .selectFrom('groups')
      .selectAll()
      .where('group_name', 'like', 'Brief%')
      .execute();
    expect(left).toEqual([]);
  });

  it('groups and users that are deleted while the group is updated: 200 or 404, never a crash', async () => {
    const people = Array.from({ length: 20 }, (_, i) => 98_704_000 + i);
    for (const id of people) await addUser(app, { id, corporation: HOME, name: nameOf(id) });
    const groups = await Promise.all(
      people.slice(0, 10).map((id) => ok(root.group.create({ body: { group_name: `Brief ${id}` } }))),
    );
    const answers = await tally([
      ...people.map((_, i) => {
        const { group_id } = groups[i % groups.length] as Group;
        return root.group.update({
          params: { group_id },
          body: { add_members: people.slice(i).map(nameOf) },
        });
      }),
      ...people.slice(0, 10).map((character_id) => root.user.delete({ params: { character_id } })),
      ...groups.slice(0, 5).map((params) => root.group.delete({ params })),
    ]);
    expect(Object.keys(answers).filter((status) => status !== '200' && status !== '404')).toEqual([]);
    const orphans = await sql`select from group_members m
      where not exists (select from users u where u.character_id = m.character_id)`.execute(app.db);
    expect(orphans.rows).toEqual([]);
  });

  it('a user who is deleted before it becomes a member: 404', async () => {
    await addUser(app, { id: 98_705_000, corporation: HOME, name: 'Gone' });
    const group = await ok(root.group.create({ body: { group_name: 'Without' } }));
    const answer = await meanwhile(app, 'delete from users where character_id = $1', [98_705_000], () =>
      root.group.update({ params: group, body: { add_members: ['Gone'] } }),
    );
    expect(answer).toMatchObject({ status: 404, body: { detail: 'Could not find user Gone' } });
  });

  it('a member that is removed, as by a hand-over (D29b), before it becomes the owner: it is owner and member', async () => {
    const id = 98_705_003;
    await addUser(app, { id, corporation: HOME, name: 'Leaving' });
    const group = await ok(root.group.create({ body: { group_name: 'Left' } }));
    await ok(root.group.update({ params: group, body: { add_members: ['Leaving'] } }));
    const answer = await meanwhile(app, 'delete from group_members where character_id = $1', [id], () =>
      root.group.update({ params: group, body: { owner: 'Leaving' } }),
    );
    const leaving = { character_id: id, character_name: 'Leaving' };
    expect(answer).toMatchObject({ status: 200, body: { owner: leaving } });
    expect((await ok(root.group.get({ params: group }))).members).toContainEqual(leaving);
  });

  it('a coalition that is deleted before its autogroup is created: none is created', async () => {
    const id = 98_705_001;
    await addOrganizations(app, [{ corporations: [id] }]);
    const made = await ok(root.coalition.create({ body: { coalition_name: 'Gone', ticker: 'G' } }));
    const { coalition_id } = await ok(
      root.coalition.update({ params: made, body: { add_member_corporations: [id] } }),
    );
    await meanwhile(app, 'delete from coalitions where coalition_id = $1', [coalition_id], () => joins(id));
    const names = (await ok(root.group.list())).map((group) => group.group_name);
    expect(names).toContain(`Corporation ${id}`);
    expect(names).not.toContain('Gone');
  });

  it('a name that a group takes before the autogroup does: the autogroup gets a suffix', async () => {
    const id = 98_705_002;
    const name = `Corporation ${id}`;
    await addOrganizations(app, [{ corporations: [id] }]);
    // A hand-made group is stored, but not committed yet.
    await sql`create function wait_for_test() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(1); return new; end $$`.execute(app.db);
    await sql`create trigger waits after insert on groups for each row
      when (new.owner_id is not null) execute function wait_for_test()`.execute(app.db);
    const other = new pg.Client({ connectionString: app.databaseUrl });
    await other.connect();
    await other.query('begin');
    await other.query('select pg_advisory_xact_lock(1)');
    const creating = root.group.create({ body: { group_name: name } });
    await untilWaiting(other, 1);
    const joining = joins(id);
    await untilWaiting(other, 2);
    await other.end();
    expect((await creating).status).toBe(201);
    await joining;
    await sql`drop trigger waits on groups`.execute(app.db);
    const names = (await ok(root.group.list())).map((group) => group.group_name);
    expect(names).toEqual(expect.arrayContaining([name, `${name} (corporation ${id})`]));
  });
});

describe('D18b: an autogroup is created in whatever order of two changes', () => {
  /** Makes one change, and another before the first is committed; returns the autogroups in the end. */
  async function both(
    one: (tx: Transaction<Database>) => Promise<unknown>,
    other: () => Promise<unknown>,
  ): Promise<string[]> {
    const watch = new pg.Client({ connectionString: app.databaseUrl });
    await watch.connect();
    try {
      let second: Promise<unknown> | undefined;
      await app.db.transaction().execute(async (tx) => {
        await one(tx);
        second = other();
        // A change that does not wait has ended.
        await Promise.race([second, untilWaiting(watch, 1)]);
      });
      await second;
    } finally {
      await watch.end();
    }
    return (await ok(root.group.list())).map((group) => group.group_name);
  }

  const home = 98_706_000;
  const pilot = (corporation: number): ProviderSnapshot => ({
    alliances: [],
    corporations: [],
    characters: [
      { character_id: corporation, character_name: nameOf(corporation), corporation_id: corporation },
    ],
  });
  const save = (snapshot: ProviderSnapshot) => (tx: Transaction<Database>) =>
    saveSnapshot(tx, snapshot, app.clock.now());

  it('the first member of a corporation, or the coalition that takes it in', async () => {
    for (const [i, first] of ['member', 'coalition'].entries()) {
      const id = home + i;
      await addOrganizations(app, [{ corporations: [id] }]);
      const coalition = await ok(
        root.coalition.create({ body: { coalition_name: `With ${id}`, ticker: 'W' } }),
      );
      const update = () =>
        root.coalition.update({ params: coalition, body: { add_member_corporations: [id] } });
      const takeIn = async (tx: Transaction<Database>) => {
        const added = { added: [id], removed: [] };
        await changeMembers(tx, coalition.coalition_id, 'corporations', added);
        await ensureAutogroups(
          tx,
          { coalitions: [coalition.coalition_id], regrouped: true },
          app.clock.now(),
        );
      };
      const names =
        first === 'member'
          ? await both(save(pilot(id)), update)
          : await both(takeIn, () => inTransaction(app.db, save(pilot(id))));
      expect(names).toContain(`With ${id}`);
    }
  });

  it('the first member of a corporation, or the alliance that it joins', async () => {
    for (const [i, first] of ['member', 'alliance'].entries()) {
      const [id, executor, alliance] = [home + 10 + i, home + 20 + i, 99_706_000 + i];
      await addOrganizations(app, [{ corporations: [id] }, { alliance, corporations: [executor] }]);
      const { corporation_name, ticker, ceo_id, ceo_name } = await app.db
        .selectFrom('corporations')
        .selectAll()
        .where('corporation_id', '=', id)
        .executeTakeFirstOrThrow();
      const corporation = {
        corporation_id: id,
        alliance_id: alliance,
        corporation_name,
        ticker,
        ceo_id,
        ceo_name,
      };
      const joined: ProviderSnapshot = { alliances: [], corporations: [corporation], characters: [] };
      const [one, other] = first === 'member' ? [pilot(id), joined] : [joined, pilot(id)];
      const names = await both(save(one), () => inTransaction(app.db, save(other)));
      expect(names).toContain(`Alliance ${alliance}`);
    }
  });
});

describe('D3c: no request delays others', () => {
  const GROUPS = 'select from groups where group_id = any($1) for update';
  const USER = 'select from users where character_id = $1 for no key update';
  const REQUESTS = 12;

  /**
   * Starts requests that want rows which another connection locks until all have arrived. How many then occupy a
   * connection each, and that there is one left for somebody else?
   *
   * @param judged how often each request reads its caller until it wants the rows
   */
  async function occupied(
    { lock, by }: { readonly lock: string; readonly by: readonly string[] | number },
    request: (n: number) => Promise<{ status: number }>,
    expected: number,
    judged = 1,
  ): Promise<void> {
    const before = app.statements.length;
    const start = () => Promise.all(Array.from({ length: REQUESTS }, (_, n) => request(n)));
    const answers = await meanwhile(app, lock, [by], start, async (other) => {
      // Each reads its caller by the same statement as the first one.
      const arrived = () => app.statements.slice(before).filter((one, _, [first]) => one === first).length;
      await Promise.race([
        untilWaiting(other, expected + 1),
        vi.waitUntil(() => arrived() >= judged * REQUESTS, 60_000),
      ]);
      await untilWaiting(other, expected);
      expect((await root.token.current()).status).toBe(200);
      // Others may wait for each other for a moment, such as those that store the same answer of the provider.
      await vi.waitFor(async () => expect(await countWaiting(other)).toBe(expected), 60_000);
    });
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  }

  it('a group that many write at once occupies one connection', async () => {
    const params = await ok(root.group.create({ body: { group_name: 'Hot' } }));
    const write = (n: number) => root.group.update({ params, body: { description: `${n}` } });
    const hot = { lock: GROUPS, by: [params.group_id] };
    await occupied(hot, write, 1);
    const tries = (n: number) => root.group.update.preview({ params, body: { description: `${n}` } });
    await occupied(hot, tries, 1);
  });

  let owned = 0;
  /** A group that the character owns. */
  async function ownedBy(id: number): Promise<string> {
    const params = await ok(root.group.create({ body: { group_name: `Owned ${++owned}` } }));
    await ok(root.group.update({ params, body: { owner: `Character ${id}` } }));
    return params.group_id;
  }

  it('the writes of a caller below level 9 occupy one, and its dry runs and writes with many ids no other', async () => {
    const id = 2_110_000_001;
    const caller = await callerAt(app, { id, level: 0, corporation: HOME });
    const own = { lock: USER, by: id };
    const main = { main: id };
    await occupied(own, () => caller.person.update({ body: main }), 1);
    const ids: string[] = [];
    for (let n = 0; n < REQUESTS; n += 1) ids.push(await ownedBy(id));
    const params = (n: number) => ({ group_id: ids[n] as string });
    const dryRun = (n: number) => caller.group.update.preview({ params: params(n), body: {} });
    const remove_members = Array.from({ length: 1_001 }, () => nameOf(CORPORATIONS[0] as number));
    const longWrite = (n: number) => caller.group.update({ params: params(n), body: { remove_members } });
    const shortWrite = () => caller.person.update({ body: main });
    await occupied({ lock: GROUPS, by: ids }, (n) => (n % 2 === 0 ? dryRun(n) : longWrite(n)), 1);
    await occupied(own, (n) => (n === 0 ? dryRun(n) : shortWrite()), 1);
  });

  it('nor do those that wait for another server first', async () => {
    const id = 2_110_000_004;
    const caller = await callerAt(app, { id, level: 8, corporation: HOME });
    const { world } = app.provider;
    const own = { lock: USER, by: id };
    const alliance_id = 99_000_001;
    const corporation_id = world.corporationsOf(alliance_id)[0] as number;
    const corporation = { params: { corporation_id } };
    await occupied(own, () => caller.corporation.register(corporation), 1, 2);
    await occupied(own, () => caller.alliance.register({ params: { alliance_id } }), 1, 2);
  });

  it('sign-ins that an application starts do not wait for what its owner does', async () => {
    const id = 2_110_000_005;
    const caller = await callerAt(app, { id, level: 0, corporation: HOME });
    const { jwt } = await makeToken(app, 'dyn', id, uuidOf(app.root));
    const write = () => caller.person.update({ body: { main: id } });
    const answer = await meanwhile(app, USER, [id], write, async () => {
      expect(await app.client(jwt).token.startLogin({ body: {} })).toMatchObject({ status: 200 });
    });
    expect(answer.status).toBe(200);
  });

  it('nor for one another while the sign-on is asked', async () => {
    const id = 2_110_000_006;
    await callerAt(app, { id, level: 0, corporation: HOME });
    const { jwt } = await makeToken(app, 'dyn', id, uuidOf(app.root));
    let asked = 0;
    let answer: (url: string) => void = () => undefined;
    const answered = new Promise<string>((resolve) => {
      answer = resolve;
    });
    const asking = vi.spyOn(app.app.services.sso, 'loginUrl').mockImplementation(() => {
      asked += 1;
      return answered;
    });
    try {
      const starts = [1, 2].map(() => app.client(jwt).token.startLogin({ body: {} }));
      await vi.waitUntil(() => asked === starts.length, 60_000);
      answer('https://sign-on.example/');
      expect((await Promise.all(starts)).map(({ status }) => status)).toEqual([200, 200]);
    } finally {
      answer('https://sign-on.example/');
      asking.mockRestore();
    }
  });

  it('of the dry runs and writes with many ids of many callers six run at a time', async () => {
    const owners: { readonly caller: Client; readonly group_id: string }[] = [];
    for (let n = 0; n < REQUESTS; n += 1) {
      const id = 2_110_000_100 + n;
      const caller = await callerAt(app, { id, level: 0, corporation: HOME });
      owners.push({ caller, group_id: await ownedBy(id) });
    }
    const dryRun = (n: number) => {
      const { caller, group_id } = owners[n] as (typeof owners)[number];
      return caller.group.update.preview({ params: { group_id }, body: {} });
    };
    await occupied({ lock: GROUPS, by: owners.map(({ group_id }) => group_id) }, dryRun, 6);
  });
});

describe('D3c: whoever may not write a group', () => {
  it('is refused before its turn comes, and so holds nobody else up', async () => {
    const [applicant, stranger] = [
      await callerAt(app, { id: 2_110_000_002, level: 1, corporation: HOME }),
      await callerAt(app, { id: 2_110_000_003, level: 0, corporation: HOME }),
    ];
    const params = await ok(root.group.create({ body: { group_name: 'Besieged' } }));
    const policy = { joining: 'application' as const, eligible: { min_level: 1 } };
    await ok(root.group.setPolicy({ params, body: policy }));
    const asked = await ok(applicant.group.apply({ params }));
    const leave = occupy(app.app.services.lines.groups, params.group_id);
    const answers = await Promise.all([
      stranger.group.apply({ params }),
      stranger.group.leave({ params }),
      stranger.application.decide({ params: asked, body: { decision: 'rejected' } }),
      stranger.group.update({ params, body: { description: 'Mine' } }),
      stranger.group.setPolicy({ params, body: { joining: 'open' } }),
      stranger.group.update.preview({ params, body: { description: 'Mine' } }),
      stranger.group.setPolicy.preview({ params, body: { joining: 'open' } }),
    ]).finally(leave);
    expect(answers.map(({ status }) => status)).toEqual([409, 404, 403, 403, 403, 403, 403]);
  });
});

describe('D121: a preview of a coalition holds nobody up', () => {
  const body = { add_member_corporations: [HOME] };
  const made = (coalition_name: string) =>
    ok(root.coalition.create({ body: { coalition_name, ticker: 'TRY' } }));

  it('as it takes none of the locks that sign-ins need', async () => {
    const params = await made('Tried');
    const locks = `select pg_advisory_xact_lock_shared(hashtext('grouping of bodies')),
      pg_advisory_xact_lock(hashtext('names of groups'))`;
    const other = new pg.Client({ connectionString: app.databaseUrl });
    await other.connect();
    try {
      await other.query('begin');
      await other.query(locks);
      const answer = root.coalition.update.preview({ params, body });
      const first = await Promise.race([answer, untilWaiting(other, 1)]);
      await other.query('commit');
      expect(first).toMatchObject({
        status: 200,
        body: { changes: [{ about: 'login' }, { group: { group_name: 'Tried' } }] },
      });
    } finally {
      await other.end();
    }
  });

  it('nor does one of the deletion of a user or a guest', async () => {
    const [character_id, guest] = [2_197_100_001, 2_197_100_002];
    await addUser(app, { id: character_id, corporation: HOME });
    await addUser(app, { id: guest, corporation: HOME, level: -1 });
    const other = new pg.Client({ connectionString: app.databaseUrl });
    await other.connect();
    try {
      await other.query('begin');
      await other.query("select pg_advisory_xact_lock(hashtext('grouping of bodies'))");
      const answers = Promise.all([
        root.user.delete.preview({ params: { character_id } }),
        root.corporation.deleteGuest.preview({ params: { corporation_id: HOME, character_id: guest } }),
      ]);
      const first = await Promise.race([answers, untilWaiting(other, 1)]);
      await other.query('commit');
      expect(first).toMatchObject([{ status: 200 }, { status: 200 }]);
    } finally {
      await other.end();
    }
  });

  it('and tries again where somebody takes the name of an autogroup meanwhile', async () => {
    const params = await made('Taken');
    const taking = `insert into groups (group_id, group_name, name_key, corporation_id)
      values ('${'af'.repeat(12)}', 'Taken', 'taken', ${UNPEOPLED})`;
    await addOrganizations(app, [{ corporations: [UNPEOPLED] }]);
    const answer = await meanwhile(app, taking, [], () => root.coalition.update.preview({ params, body }));
    const group_name = `Taken (coalition ${params.coalition_id})`;
    expect(answer).toMatchObject({
      status: 200,
      body: { changes: [{ about: 'login' }, { group: { group_name } }] },
    });
  });
});
