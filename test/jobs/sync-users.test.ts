import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Change, Run } from '../../server/queue/run.ts';
import { findTokenLosers } from '../../server/registry/apply-plan.queries.ts';
import { syncUsers } from '../../server/registry/sync-users.ts';
import { statementsOf } from '../fixtures/grants.ts';
import { forget, membersOf, populate, requestsOf } from '../fixtures/population.ts';
import { setLevel } from '../fixtures/registry.ts';
import { addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { addGrant, SKILLS } from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';
import { userRow } from '../harness/sign-in.ts';
import { textOf } from '../harness/text-of.ts';

/** Alliance n is led by corporation n, that by character n; the last two of twelve corporations stand alone. */
const [FIRST, SECOND] = [98_000_001, 98_000_002];
const [LONELY, OTHER_LONELY] = [98_000_011, 98_000_012];
const HOUR = 3_600_000;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ provider: { alliances: 3, corporations: 12, characters: 400 } });
  await populate(app);
});
afterAll(() => app.stop());
beforeEach(() => app.clock.advance(2 * HOUR));
afterEach(() => app.provider.faults.clear());

const sync = (options: Partial<Omit<Run, 'job'>> = {}): Promise<readonly Change[]> =>
  syncUsers(app.app.services, testRun('sync-users', options));

/** A member that is no CEO; a new one in each call. */
const used = new Set<number>();
function memberOf(corporation: number): number {
  const id = app.provider.world
    .membersOf(corporation)
    .find((member) => !app.provider.world.character(member)?.isCeo && !used.has(member));
  if (id === undefined) throw new Error(`no more members in ${corporation}`);
  used.add(id);
  return id;
}

const mayLogIn = async (id: number) => {
  const token = await makeToken(app, 'use', id, uuidOf(await app.dynamicToken()));
  return (await app.client(token.jwt).token.current()).status === 200;
};

describe('the sync of users', () => {
  it('an up-to-date registry stays as it is: one request, nothing written', async () => {
    const all = () => sql`select * from users order by character_id`.execute(app.db);
    const before = (await all()).rows;
    const requests = await requestsOf(app, async () => expect(await sync()).toEqual([]));
    expect(Object.fromEntries(requests)).toEqual({ '/characters/affiliation': 1 });
    expect((await all()).rows).toEqual(before);
  });

  it('D72: a complete run is recorded; one that stopped is not', async () => {
    const noted = async () =>
      (
        await app.db
          .selectFrom('schedules')
          .select('complete_on')
          .where('job_id', '=', 'sync-users')
          .execute()
      )[0]?.complete_on;
    await sync();
    const began = app.clock.now();
    expect(await noted()).toEqual(began);
    app.clock.advance(HOUR);
    app.provider.faults.downtime = true;
    await sync();
    app.provider.faults.clear();
    expect(await noted()).toEqual(began);
    const { services } = app.app;
    const away = Object.assign(new Error('no database'), { code: 'ECONNREFUSED' });
    const db = services.db.withPlugin({
      transformQuery({ node }) {
        if (JSON.stringify(node).includes('held_changes')) throw away;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    await expect(syncUsers({ ...services, db }, testRun('sync-users'))).rejects.toBe(away);
    expect(await noted()).toEqual(began);
  });

  it.each([
    [0, 0],
    [5, 0],
    [8, 0],
    [9, 9],
    [10, 10],
  ])('D19: a character that moves is moved; its level %s becomes %s', async (level, after) => {
    const id = memberOf(FIRST);
    await setLevel(app, id, level);
    app.provider.world.moveCharacter(id, LONELY);
    const changes = await sync();
    expect(changes).toEqual([
      { character_id: id, corporation: [FIRST, LONELY], ...(level !== after && { level: [level, after] }) },
    ]);
    expect(await userRow(app, id)).toMatchObject({ corporation_id: LONELY, clearance_level: after });
  });

  it('D19: a character that joins from a corporation of the game itself falls to level 0', async () => {
    const id = memberOf(FIRST);
    app.provider.world.moveCharacter(id, 1_000_006);
    await sync();
    await setLevel(app, id, 5);
    app.provider.world.moveCharacter(id, LONELY);
    expect(await sync()).toEqual([{ character_id: id, corporation: [null, LONELY], level: [5, 0] }]);
  });

  it('D19: when a CEO leaves, the corporation is refreshed at once, and its new CEO rises', async () => {
    const { world } = app.provider;
    const former = world.corporation(OTHER_LONELY)?.ceoId as number;
    const successor = memberOf(OTHER_LONELY);
    await setLevel(app, former, 2);
    world.setCeo(OTHER_LONELY, successor);
    world.moveCharacter(former, LONELY);
    const changes = await sync();
    expect(changes).toEqual(
      expect.arrayContaining([
        { corporation_id: OTHER_LONELY, ceo: [former, successor] },
        { character_id: former, corporation: [OTHER_LONELY, LONELY], level: [2, 0] },
        { character_id: successor, level: [0, 2] },
      ]),
    );
    expect(changes).toHaveLength(3);
    const requests = await requestsOf(app, async () => expect(await sync()).toEqual([]));
    expect(Object.fromEntries(requests)).toEqual({ '/characters/affiliation': 1 });
  });

  it('D18b: the autogroups follow a character that moves', async () => {
    const id = memberOf(FIRST);
    expect(await membersOf(app, { corporation_id: FIRST })).toContain(id);
    app.provider.world.moveCharacter(id, SECOND);
    await sync();
    expect(await membersOf(app, { corporation_id: FIRST })).not.toContain(id);
    expect(await membersOf(app, { alliance_id: 99_000_001 })).not.toContain(id);
    expect(await membersOf(app, { corporation_id: SECOND })).toContain(id);
    expect(await membersOf(app, { alliance_id: 99_000_002 })).toContain(id);
  });

  it('D11, D27b: a user that moved to a corporation of the game itself has none, and may no longer log in', async () => {
    const id = memberOf(FIRST);
    expect(await mayLogIn(id)).toBe(true);
    app.provider.world.moveCharacter(id, 1_000_006);
    expect(await sync()).toEqual([{ character_id: id, corporation: [FIRST, null] }]);
    expect(await mayLogIn(id)).toBe(false);
  });

  it('D28: a guest that joins its host becomes a member at level 0; other guests stay as they are', async () => {
    const [joining, staying] = [memberOf(FIRST), memberOf(FIRST)];
    const guests = app.db.updateTable('users').set({ clearance_level: -1, corporation_id: LONELY });
    await guests.where('character_id', 'in', [joining, staying]).execute();
    app.provider.world.moveCharacter(joining, LONELY);
    expect(await sync()).toEqual([{ character_id: joining, level: [-1, 0] }]);
    expect(await userRow(app, joining)).toMatchObject({ corporation_id: LONELY, clearance_level: 0 });
    expect(await userRow(app, staying)).toMatchObject({ corporation_id: LONELY, clearance_level: -1 });
  });

  it('D19: when a corporation leaves its alliance, its members lose levels 3 to 8; its autogroup stays', async () => {
    const { world } = app.provider;
    const corporation = world.corporationsOf(99_000_001).find((id) => id !== FIRST) as number;
    const ceo = world.corporation(corporation)?.ceoId as number;
    const [two, three, eight, nine] = [1, 2, 3, 4].map(() => memberOf(corporation)) as [
      number,
      number,
      number,
      number,
    ];
    for (const [id, level] of [
      [two, 2],
      [three, 3],
      [eight, 8],
      [nine, 9],
      [ceo, 5],
    ] as const) {
      await setLevel(app, id, level);
    }
    world.moveCorporation(corporation, null);
    const changes = await sync({ force: true });
    expect(changes).toEqual([
      { corporation_id: corporation, alliance: [99_000_001, null] },
      ...[
        { character_id: ceo, level: [5, 2] },
        { character_id: three, level: [3, 0] },
        { character_id: eight, level: [8, 0] },
      ].sort((a, b) => a.character_id - b.character_id),
    ]);
    expect(await userRow(app, two)).toMatchObject({ clearance_level: 2 });
    expect(await userRow(app, three)).toMatchObject({ clearance_level: 0 });
    expect(await userRow(app, nine)).toMatchObject({ clearance_level: 9 });
    expect(await membersOf(app, { alliance_id: 99_000_001 })).not.toContain(two);
    expect(await membersOf(app, { corporation_id: corporation })).toContain(two);
  });

  it('D19: when an executor leaves its alliance, its CEO falls to 2, and that of the next executor rises to 4', async () => {
    const { world } = app.provider;
    const next = world.corporationsOf(99_000_002).find((id) => id !== SECOND) as number;
    const ceo = world.corporation(next)?.ceoId as number;
    world.moveCorporation(SECOND, null);
    world.setExecutor(99_000_002, next);
    await setLevel(app, 2_112_000_002, 4);
    const changes = await sync({ force: true });
    expect(changes).toContainEqual({ alliance_id: 99_000_002, executor: [SECOND, next] });
    expect(changes).toContainEqual({ corporation_id: SECOND, alliance: [99_000_002, null] });
    expect(changes).toContainEqual({ character_id: 2_112_000_002, level: [4, 2] });
    expect(await userRow(app, ceo)).toMatchObject({ clearance_level: 4 });
    world.moveCorporation(SECOND, 99_000_002);
    world.setExecutor(99_000_002, SECOND);
    await sync({ force: true });
    expect(await userRow(app, 2_112_000_002)).toMatchObject({ clearance_level: 4 });
  });

  it('D39: a closed alliance keeps its executor; its former corporations have no alliance, and their CEOs level 2', async () => {
    const { world } = app.provider;
    const corporations = world.corporationsOf(99_000_003);
    const member = memberOf(98_000_003);
    await setLevel(app, member, 4);
    await setLevel(app, 2_112_000_003, 4);
    world.closeAlliance(99_000_003);
    const changes = await sync({ force: true });
    for (const corporation_id of corporations) {
      expect(changes).toContainEqual({ corporation_id, alliance: [99_000_003, null] });
    }
    const rows = app.db.selectFrom('alliances').select('executor_corporation_id');
    expect(await rows.where('alliance_id', '=', 99_000_003).execute()).toEqual([
      { executor_corporation_id: 98_000_003 },
    ]);
    expect(await userRow(app, 2_112_000_003)).toMatchObject({ clearance_level: 2 });
    expect(await userRow(app, member)).toMatchObject({ clearance_level: 0, corporation_id: 98_000_003 });
    expect(await membersOf(app, { alliance_id: 99_000_003 })).toEqual([]);
  });

  it('D39: an unregistered corporation is stored with its CEO and alliance before the user that joined it', async () => {
    const { world } = app.provider;
    const id = memberOf(FIRST);
    await forget(app, { alliance_id: 99_000_002 });
    world.moveCharacter(id, SECOND);
    const changes = await sync({ force: true });
    expect(changes).toContainEqual({ alliance_id: 99_000_002, registered: true });
    expect(changes).toContainEqual({ corporation_id: SECOND, registered: true });
    expect(changes).toContainEqual({ character_id: 2_112_000_002, registered: SECOND });
    expect(changes).toContainEqual({ character_id: id, corporation: [FIRST, SECOND] });
    expect(await userRow(app, 2_112_000_002)).toMatchObject({ corporation_id: SECOND, clearance_level: 4 });
    expect(await membersOf(app, { alliance_id: 99_000_002 })).toContain(id);
  });

  it('D18b: a corporation named like an existing group breaks nothing', async () => {
    const { world } = app.provider;
    const created = await app.client(app.root).group.create({ body: { group_name: 'The Regulars' } });
    expect(created.status).toBe(201);
    world.renameCorporation(LONELY, 'The Regulars');
    world.moveCorporation(LONELY, 99_000_001);
    await sync({ force: true });
    const named = await app.db
      .selectFrom('groups')
      .select('group_name')
      .where('corporation_id', '=', LONELY)
      .execute();
    expect(named).toEqual([{ group_name: 'The Regulars (corporation 98000011)' }]);
  });

  it('a corporation without an answer: users that joined it stay where they were, all others move', async () => {
    const { world } = app.provider;
    const [blocked, free] = [memberOf(FIRST), memberOf(FIRST)];
    await forget(app, { corporation_id: OTHER_LONELY });
    world.moveCharacter(blocked, OTHER_LONELY);
    world.moveCharacter(free, LONELY);
    app.provider.faults.add(`/corporations/${OTHER_LONELY}`, { kind: 'status', status: 502, as: 'html' });
    expect(await sync()).toEqual([{ character_id: free, corporation: [FIRST, LONELY] }]);
    expect(await userRow(app, blocked)).toMatchObject({ corporation_id: FIRST });
    app.provider.faults.clear();
    expect(await sync()).toContainEqual({ character_id: blocked, corporation: [FIRST, OTHER_LONELY] });
  });
});

describe('what the sync does not decide', () => {
  it('D39, D63b: a corporation whose new alliance cannot be fetched stays in the former one, with all levels', async () => {
    const { world } = app.provider;
    await forget(app, { alliance_id: 99_000_002 });
    const corporation = world.corporationsOf(99_000_001).find((id) => id !== FIRST) ?? LONELY;
    const [former = null] = (await allianceOf(corporation)).map((row) => row.alliance_id);
    const member = memberOf(corporation);
    await setLevel(app, member, 6);
    world.moveCorporation(corporation, 99_000_002);
    app.provider.faults.add('/alliances/99000002', { kind: 'status', status: 502 });
    expect(await sync()).toEqual([]);
    expect(await allianceOf(corporation)).toEqual([{ alliance_id: former }]);
    expect(await userRow(app, member)).toMatchObject({ clearance_level: 6 });
    app.provider.faults.clear();
    await sync({ force: true });
    expect(await allianceOf(corporation)).toEqual([{ alliance_id: 99_000_002 }]);
    expect(await userRow(app, member)).toMatchObject({ clearance_level: 0 });
  });

  it('D29b: the sale of a character has no effect before the new owner signs in', async () => {
    const id = memberOf(FIRST);
    await app.signIn(id);
    await setLevel(app, id, 6);
    const before = await userRow(app, id);
    app.provider.world.handOver(id);
    expect(await sync()).toEqual([]);
    expect(await userRow(app, id)).toEqual(before);
    await app.signIn(id);
    expect(await userRow(app, id)).toMatchObject({ clearance_level: 0 });
  });

  const allianceOf = (id: number) =>
    app.db.selectFrom('corporations').select('alliance_id').where('corporation_id', '=', id).execute();
});

describe('D63b: characters that were deleted', () => {
  it('the first run that sees it changes nothing; the second deletes the user as D19b has it', async () => {
    const id = memberOf(FIRST);
    await addGrant(app, id, [SKILLS]);
    const grants = app.db.selectFrom('grants').select('grant_id').where('character_id', '=', id);
    const grant = await grants.executeTakeFirst();
    const token = await makeToken(app, 'use', id, uuidOf(await app.dynamicToken()));
    app.provider.world.deleteCharacter(id);
    expect(await sync()).toEqual([]);
    expect(await userRow(app, id)).toMatchObject({ corporation_id: FIRST });
    expect((await app.client(token.jwt).token.current()).status).toBe(200);
    app.clock.advance(HOUR / 2);
    expect(await sync({ dryRun: true })).toEqual([{ character_id: id, deleted: true }]);
    expect(await userRow(app, id)).toBeDefined();
    expect(await sync()).toEqual([{ character_id: id, deleted: true }]);
    expect(await userRow(app, id)).toBeUndefined();
    expect((await app.client(token.jwt).token.current()).status).toBe(401);
    const { rows } = await sql`
      select from pgboss.job where name = 'revoke-grant' and data->>'grant_id' = ${grant?.grant_id ?? ''}`.execute(
      app.db,
    );
    expect(rows).toHaveLength(1);
  });

  it('who loses tokens by that is found at once, however many user tokens descend from theirs', async () => {
    const [deleted, owner, holder] = [memberOf(FIRST), memberOf(FIRST), memberOf(FIRST)];
    const permanent = await makeToken(app, 'per', deleted, uuidOf(app.root));
    const dynamic = await makeToken(app, 'dyn', owner, permanent.uuid);
    const tx = await app.db.startTransaction().execute();
    await sql`
      insert into tokens (uuid, token_type, owner_id, parent, app_token, kid, expires_on)
      select gen_random_uuid(), 'use', ${holder}, ${dynamic.uuid}, ${dynamic.uuid}, 'k', now()
      from generate_series(1, 20000)`.execute(tx);
    await sql`analyze tokens`.execute(tx);
    // Compared with each other they would take minutes.
    await sql`set local statement_timeout = '5s'`.execute(tx);
    const losers = await findTokenLosers(tx, [deleted]).finally(() => tx.rollback().execute());
    expect(new Set(losers)).toEqual(new Set([deleted, owner, holder]));
  });

  it('the number of statements does not depend on how many are deleted; all their grants are revoked', async () => {
    const deletions = async (count: number) => {
      const ids = Array.from({ length: count }, () => memberOf(SECOND));
      for (const id of ids) {
        await addGrant(app, id, [SKILLS]);
        app.provider.world.deleteCharacter(id);
      }
      const { rows: grants } = await sql<{ grant_id: string }>`
        select grant_id from grants where character_id = any(${ids}::bigint[])`.execute(app.db);
      await sync();
      app.clock.advance(HOUR / 2);
      const statements = await statementsOf(app, async () =>
        expect(await sync()).toEqual(
          ids.sort((a, b) => a - b).map((character_id) => ({ character_id, deleted: true })),
        ),
      );
      const { rows: revoked } = await sql`
        select from pgboss.job
        where name = 'revoke-grant' and data->>'grant_id' = any(${grants.map(({ grant_id }) => grant_id)}::text[])`.execute(
        app.db,
      );
      expect(revoked).toHaveLength(count);
      expect(await app.db.selectFrom('users').where('character_id', 'in', ids).execute()).toEqual([]);
      return statements.filter((text) => /\bdelete from\b|pgboss/.test(text)).length;
    };
    expect(await deletions(6)).toBe(await deletions(1));
  });

  it('a run that fails and its retry are one run: only the next one deletes', async () => {
    const id = memberOf(FIRST);
    app.provider.world.deleteCharacter(id);
    const { services } = app.app;
    const away = Object.assign(new Error('no database'), { code: 'ECONNREFUSED' });
    const db = services.db.withPlugin({
      transformQuery({ node }) {
        if (JSON.stringify(node).includes('held_changes')) throw away;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    await expect(syncUsers({ ...services, db }, testRun('sync-users'))).rejects.toBe(away);
    expect(await sync()).toEqual([]);
    expect(await userRow(app, id)).toBeDefined();
    app.clock.advance(HOUR / 2);
    expect(await sync()).toEqual([{ character_id: id, deleted: true }]);
  });

  it('D63b: nor does the retry of a run that could not hear that its marks were stored', async () => {
    const id = memberOf(FIRST);
    app.provider.world.deleteCharacter(id);
    const { services } = app.app;
    const marks = new Set<object>();
    const db = services.db.withPlugin({
      transformQuery(statement) {
        if (textOf(statement).includes('update "users" set "graveyard_on" = ')) marks.add(statement.queryId);
        return statement.node;
      },
      async transformResult({ result, queryId }) {
        if (marks.has(queryId)) throw Object.assign(new Error('broke off'), { code: 'ECONNRESET' });
        return result;
      },
    });
    await expect(syncUsers({ ...services, db }, testRun('sync-users'))).rejects.toThrow('broke off');
    app.clock.advance(60_000);
    expect(await sync()).toEqual([]);
    expect(await userRow(app, id)).toBeDefined();
    // Counted from when it was found first.
    app.clock.advance(HOUR / 2 - 60_000);
    expect(await sync()).toEqual([{ character_id: id, deleted: true }]);
  });

  it('D63b: nor does another worker whose clock is wrong: the database tells how far two runs are apart', async () => {
    const id = memberOf(FIRST);
    app.provider.world.deleteCharacter(id);
    for (const minutes of [-15, 0, 15]) {
      const clock = { now: () => new Date(Date.now() + minutes * 60_000), real: true } as const;
      await syncUsers({ ...app.app.services, clock }, testRun('sync-users'));
      expect(await userRow(app, id)).toBeDefined();
    }
    expect(await sync()).toEqual([{ character_id: id, deleted: true }]);
  });

  it('D63b: nor a run after one whose clock was far ahead', async () => {
    const id = memberOf(FIRST);
    app.provider.world.deleteCharacter(id);
    const ahead = new Date(app.clock.now().getTime() + 365 * 24 * HOUR);
    await app.db.updateTable('users').set({ graveyard_on: ahead }).where('character_id', '=', id).execute();
    expect(await sync()).toEqual([]);
    expect(await sync()).toEqual([]);
    app.clock.advance(HOUR);
    expect(await sync()).toEqual([{ character_id: id, deleted: true }]);
  });

  it('a character that is seen elsewhere in between is not deleted', async () => {
    const id = memberOf(FIRST);
    const { world } = app.provider;
    world.moveCharacter(id, 1_000_001);
    await sync();
    world.moveCharacter(id, FIRST);
    expect(await sync()).toEqual([]);
    world.moveCharacter(id, 1_000_001);
    expect(await sync()).toEqual([]);
    expect(await userRow(app, id)).toMatchObject({ corporation_id: FIRST });
    world.moveCharacter(id, FIRST);
    await sync();
  });

  it('an id that the provider refuses is requested apart, not again for a day, and its user stays as it was', async () => {
    const stranger = 2_199_999_999;
    const mover = memberOf(FIRST);
    await addUser(app, { id: stranger, corporation: FIRST, level: 3 });
    app.provider.world.moveCharacter(mover, LONELY);
    const before = app.provider.requests.length;
    expect(await sync()).toContainEqual({ character_id: mover, corporation: [FIRST, LONELY] });
    const statuses = app.provider.requests.slice(before).map(({ status }) => status);
    expect(statuses.filter((status) => status === 400).length).toBeGreaterThan(5);
    expect(statuses.filter((status) => status === 400).length).toBeLessThan(20);
    expect(await userRow(app, stranger)).toMatchObject({ corporation_id: FIRST, clearance_level: 3 });
    const next = await requestsOf(app, () => sync());
    expect(next.get('/characters/affiliation')).toBe(1);
    app.clock.advance(24 * HOUR);
    const later = await requestsOf(app, () => sync());
    expect(later.get('/characters/affiliation')).toBeGreaterThan(5);
    await app.db.deleteFrom('users').where('character_id', '=', stranger).execute();
  });

  it('D63: but no id is refused by a provider that refuses every one: they are all requested again', async () => {
    app.provider.faults.add('/characters/affiliation', { kind: 'status', status: 400 });
    expect(await sync()).toEqual([]);
    const refused = app.db.selectFrom('users').select('character_id').where('refused_on', 'is not', null);
    expect(await refused.execute()).toEqual([]);
  });

  it('an id whose refusal was dated by a clock far ahead is requested like all others', async () => {
    const mover = memberOf(FIRST);
    const ahead = new Date(app.clock.now().getTime() + 365 * 24 * HOUR);
    await app.db.updateTable('users').set({ refused_on: ahead }).where('character_id', '=', mover).execute();
    app.provider.world.moveCharacter(mover, LONELY);
    expect(await sync()).toContainEqual({ character_id: mover, corporation: [FIRST, LONELY] });
  });

  it('an id that an answer leaves out is not deleted', async () => {
    const { client } = app.app.services;
    const missing = memberOf(FIRST);
    const partly: typeof client = {
      async ask(request) {
        const answer = await client.ask(request);
        const rows = answer.data as { character_id: number }[];
        return { ...answer, data: rows.filter((row) => row.character_id !== missing) };
      },
    };
    for (let run = 0; run < 3; run += 1) {
      expect(await syncUsers({ ...app.app.services, client: partly }, testRun('sync-users'))).toEqual([]);
    }
    expect(await userRow(app, missing)).toMatchObject({ corporation_id: FIRST });
  });
});

describe('changes during a run', () => {
  it('a sign-in during the run takes precedence', async () => {
    const { client } = app.app.services;
    const { world } = app.provider;
    const id = memberOf(FIRST);
    world.moveCharacter(id, LONELY);
    const late: typeof client = {
      async ask(request) {
        const answer = await client.ask(request);
        // The character is back in its former corporation and signs in.
        if (request.path === '/characters/affiliation' && world.character(id)?.corporationId === LONELY) {
          world.moveCharacter(id, FIRST);
          app.clock.advance(1_000);
          await app.signIn(id);
        }
        return answer;
      },
    };
    await setLevel(app, id, 6);
    expect(await syncUsers({ ...app.app.services, client: late }, testRun('sync-users'))).toEqual([]);
    expect(await userRow(app, id)).toMatchObject({ corporation_id: FIRST, clearance_level: 6 });
  });

  const signedInOn = (id: number, signed_in_on: Date | null) =>
    app.db.updateTable('users').set({ signed_in_on }).where('character_id', '=', id).execute();

  it('a user whose sign-in was dated by a clock far ahead is visited like all others', async () => {
    const id = memberOf(FIRST);
    await signedInOn(id, new Date(app.clock.now().getTime() + 365 * 24 * HOUR));
    app.provider.world.moveCharacter(id, LONELY);
    expect(await sync()).toEqual([{ character_id: id, corporation: [FIRST, LONELY] }]);
    await signedInOn(id, null);
  });

  it('so it does by a clock that is behind', async () => {
    const id = memberOf(FIRST);
    app.provider.world.moveCharacter(id, LONELY);
    const { client } = app.app.services;
    const during: typeof client = {
      async ask(request) {
        const answer = await client.ask(request);
        if (request.body !== undefined) await signedInOn(id, new Date(app.clock.now().getTime() - HOUR));
        return answer;
      },
    };
    expect(await syncUsers({ ...app.app.services, client: during }, testRun('sync-users'))).toEqual([]);
    expect(await userRow(app, id)).toMatchObject({ corporation_id: FIRST });
    expect(await sync()).toEqual([{ character_id: id, corporation: [FIRST, LONELY] }]);
    await signedInOn(id, null);
  });

  it('a corporation that is refreshed during the run stays as that refresh left it', async () => {
    const { client } = app.app.services;
    const { world } = app.provider;
    world.moveCorporation(OTHER_LONELY, 99_000_001);
    const late: typeof client = {
      async ask(request) {
        const answer = await client.ask(request);
        if (request.path === `/corporations/${OTHER_LONELY}` && world.corporation(OTHER_LONELY)?.allianceId) {
          world.moveCorporation(OTHER_LONELY, null);
          app.clock.advance(HOUR);
          await app.client(app.root).corporation.register({ params: { corporation_id: OTHER_LONELY } });
        }
        return answer;
      },
    };
    const run = { ...testRun('sync-users'), force: true };
    expect(await syncUsers({ ...app.app.services, client: late }, run)).toEqual([]);
    const stored = app.db.selectFrom('corporations').select('alliance_id');
    expect(await stored.where('corporation_id', '=', OTHER_LONELY).execute()).toEqual([
      { alliance_id: null },
    ]);
  });

  it('an aborted run starts no further page and writes nothing', async () => {
    const stop = new AbortController();
    const id = memberOf(FIRST);
    app.provider.world.moveCharacter(id, LONELY);
    const progress = () => stop.abort(new Error('time is up'));
    await expect(sync({ signal: stop.signal, progress })).rejects.toThrow('time is up');
    expect(await userRow(app, id)).toMatchObject({ corporation_id: FIRST });
    expect(await sync()).toEqual([{ character_id: id, corporation: [FIRST, LONELY] }]);
  });
});
