import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startWorker } from '../../jobs/worker.ts';
import { registerMembers } from '../../server/alliance/alliance.ts';
import type { ProviderClient } from '../../server/provider/client.ts';
import { ProviderError } from '../../server/provider/http.ts';
import { refreshOrganizations } from '../../server/registry/refresh-organizations.ts';
import { forget } from '../fixtures/population.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { madeAnswer } from '../harness/provider.ts';
import { testRun } from '../harness/run.ts';

const [FIRST, SECOND, THIRD] = [99_000_001, 99_000_002, 99_000_003];
/** Milliseconds: longer than an answer of the provider about a corporation or an alliance stays fresh. */
const STALE = 2 * 3_600_000;

const WORLD = { provider: { alliances: 3, corporations: 90, characters: 100 } };

let app: TestApp;
let root: Client;

beforeAll(async () => {
  app = await startTestApp(WORLD);
  root = app.client(app.root);
});
afterAll(() => app.stop());
afterEach(() => app.provider.faults.clear());

const membersOf = (alliance_id: number) => app.provider.world.corporationsOf(alliance_id);

async function registered(alliance_id: number, { db }: TestApp = app): Promise<number[]> {
  const rows = await db
    .selectFrom('corporations')
    .select('corporation_id')
    .where('alliance_id', '=', alliance_id)
    .orderBy('corporation_id')
    .execute();
  return rows.map(({ corporation_id }) => corporation_id);
}

/** The requests that `work` sends to the provider, as method and path. */
async function requestsOf(work: () => Promise<unknown>) {
  const before = app.provider.requests.length;
  await work();
  return app.provider.requests.slice(before);
}

describe('register-alliance-members: an alliance’s other members follow by a job (D39)', () => {
  it('the job waits until there is a worker, then registers every member with its CEO', async () => {
    const other = await startTestApp(WORLD);
    const client = other.client(other.root);
    await client.alliance.register({ params: { alliance_id: FIRST } });
    expect(await registered(FIRST, other)).toEqual([98_000_001]);
    expect(membersOf(FIRST).length).toBeGreaterThan(8);
    await startWorker(other.app.services);
    await expect.poll(() => registered(FIRST, other)).toEqual(membersOf(FIRST));
    for (const id of membersOf(FIRST).slice(1)) {
      const { ceoId, name } = app.provider.world.corporation(id) ?? {};
      const ceo = app.provider.world.character(ceoId ?? 0);
      expect(await client.corporation.get({ params: { corporation_id: id } })).toMatchObject({
        status: 200,
        body: {
          alliance: { alliance_id: FIRST },
          ceo: { character_id: ceoId, character_name: ceo?.name },
          corporation_name: name,
        },
      });
      // D19: a CEO comes with level 2.
      expect(await client.user.get({ params: { character_name: ceo?.name ?? '' } })).toMatchObject({
        body: { clearance_level: 2, corporation: String(id) },
      });
    }
    await other.stop();
  });

  it('requests the list once, each missing corporation once and all names at once, few at a time', async () => {
    await root.alliance.register({ params: { alliance_id: SECOND } });
    const missing = membersOf(SECOND).filter((id) => id !== 98_000_002);
    expect(missing.length).toBeGreaterThan(8);
    const busy = app.provider.requests.length + 1 + 8;
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    app.provider.faults.add('/corporations/*', { kind: 'hold', until });
    const requests = await requestsOf(async () => {
      const run = registerMembers(app.app.services, SECOND);
      await expect.poll(() => app.provider.requests.length).toBe(busy);
      release();
      await run;
    });
    expect(requests.map(({ method, path }) => `${method} ${path.replace('/api', '')}`).sort()).toEqual(
      [
        `GET /alliances/${SECOND}/corporations`,
        ...missing.map((id) => `GET /corporations/${id}`),
        'POST /universe/names',
      ].sort(),
    );
    expect(Math.max(...requests.map(({ open }) => open))).toBe(8);
  });

  it('run again, it requests only the list and changes nothing', async () => {
    const all = () => sql`select * from corporations order by corporation_id`.execute(app.db);
    const before = await all();
    app.clock.advance(STALE);
    const requests = await requestsOf(() => registerMembers(app.app.services, SECOND));
    expect(requests.map(({ path }) => path)).toEqual([`/api/alliances/${SECOND}/corporations`]);
    expect((await all()).rows).toEqual(before.rows);
  });

  it('a corporation that fails does not affect the others; the job fails, and its next run requests that one', async () => {
    await root.alliance.register({ params: { alliance_id: THIRD } });
    const members = membersOf(THIRD);
    const unlucky = members.at(-1) as number;
    app.provider.faults.add(`/corporations/${unlucky}`, { kind: 'status', status: 502, as: 'html' });
    await expect(registerMembers(app.app.services, THIRD)).rejects.toBeInstanceOf(ProviderError);
    expect(await registered(THIRD)).toEqual(members.filter((id) => id !== unlucky));
    app.provider.faults.clear();
    app.clock.advance(STALE);
    const requests = await requestsOf(() => registerMembers(app.app.services, THIRD));
    expect(requests.map(({ path }) => path)).toEqual([
      `/api/alliances/${THIRD}/corporations`,
      `/api/corporations/${unlucky}`,
      '/api/universe/names',
    ]);
    expect(await registered(THIRD)).toEqual(members);
  });

  it('after some failures it sends no more requests to a provider that refuses everything', async () => {
    for (const corporation_id of membersOf(THIRD)) {
      if (corporation_id !== 98_000_003) await forget(app, { corporation_id });
    }
    const missing = membersOf(THIRD).length - 1;
    expect(missing).toBeGreaterThan(14);
    app.clock.advance(STALE);
    // A 403 is an answer, which is not retried.
    app.provider.faults.add('/corporations/*', { kind: 'odd 403' });
    const requests = await requestsOf(() =>
      expect(registerMembers(app.app.services, THIRD)).rejects.toThrow(`${missing} corporations`),
    );
    expect(requests.filter(({ fault }) => fault !== null).length).toBeLessThan(10 + 8);
    app.provider.faults.clear();
    await registerMembers(app.app.services, THIRD);
    expect(await registered(THIRD)).toEqual(membersOf(THIRD));
  });

  it.each([
    ['another alliance', SECOND],
    ['none', null],
  ])(
    'D63: one that is registered in %s is left to the sync, which asks the guard',
    async (_, alliance_id) => {
      const [id = 0] = membersOf(THIRD).slice(-1);
      const place = () =>
        app.db
          .selectFrom('corporations')
          .select('alliance_id')
          .where('corporation_id', '=', id)
          .executeTakeFirst();
      await app.db
        .updateTable('corporations')
        .set({ alliance_id })
        .where('corporation_id', '=', id)
        .execute();
      app.clock.advance(STALE);
      const requests = await requestsOf(() => registerMembers(app.app.services, THIRD));
      expect(requests.map(({ path }) => path)).toEqual([`/api/alliances/${THIRD}/corporations`]);
      expect(await place()).toEqual({ alliance_id });
      await refreshOrganizations(app.app.services, testRun('refresh-organizations'));
      expect(await place()).toEqual({ alliance_id: THIRD });
    },
  );

  it('a corporation that is on the list but names another alliance itself stays where it is', async () => {
    const foreign = membersOf(SECOND).at(-1) as number;
    const alone = app.provider.world.corporations.find(({ npc, allianceId }) => !npc && allianceId === null);
    const listed = [...membersOf(THIRD), foreign, alone?.id as number, 98_999_999, 1_000_006];
    const client: ProviderClient = {
      ask: async (request) =>
        request.path === `/alliances/${THIRD}/corporations`
          ? madeAnswer(200, listed)
          : app.app.services.client.ask(request),
    };
    await registerMembers({ ...app.app.services, client }, THIRD);
    expect(await registered(THIRD)).toEqual(membersOf(THIRD));
    expect(await registered(SECOND)).toContain(foreign);
    expect(await root.corporation.get({ params: { corporation_id: alone?.id as number } })).toMatchObject({
      status: 404,
    });
  });
});
