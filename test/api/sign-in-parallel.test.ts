import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { letIn } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { addInvitation, startLogin, userTokenOf } from '../harness/sign-in.ts';

const NEWCOMER = 2_112_000_023;

describe('concurrent sign-ins', () => {
  let app: TestApp;
  let dyn: string;

  beforeAll(async () => {
    app = await startTestApp({ connections: 8 });
    dyn = await app.dynamicToken();
    await letIn(app, { alliances: [99_000_001, 99_000_002] });
  });
  afterAll(() => app.stop());

  /** The address to which the provider redirects the browser. */
  const backFor = async (loginUrl: string, characterId: number) =>
    (await app.provider.authorize(loginUrl, { characterId })).replace('https://castellan.test', app.url);
  const open = (back: string) => fetch(back, { redirect: 'manual' });
  const tokensOf = (character: number) =>
    app.db.selectFrom('tokens').select('uuid').where('owner_id', '=', character).execute();

  it.each(['a state code', 'an invitation'])(
    'D25: 40 parallel uses of %s: exactly one succeeds',
    async (kind) => {
      const id = kind === 'a state code' ? 2_112_000_032 : 2_112_000_049;
      const stateCode = kind === 'a state code' ? undefined : await addInvitation(app, 98_000_001);
      const { login_url } = await startLogin(app, { dyn, ...(stateCode && { stateCode }) });
      const backs = await Promise.all(Array.from({ length: 40 }, () => backFor(login_url, id)));
      const answers = await Promise.all(backs.map(open));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([302, ...Array(39).fill(400)]);
      expect(await tokensOf(id)).toHaveLength(1);
      const jobs = await app.app.services.queue.boss.getQueueSize('deliver-sign-in');
      expect(jobs).toBe(kind === 'a state code' ? 1 : 2);
    },
  );

  it('D38: 16 parallel first sign-ins of one character: one user row, one grant, 16 tokens', async () => {
    const logins = await Promise.all(Array.from({ length: 16 }, () => startLogin(app, { dyn })));
    const backs = await Promise.all(logins.map(({ login_url }) => backFor(login_url, NEWCOMER)));
    const answers = await Promise.all(backs.map(open));
    const tokens = answers.map(userTokenOf);
    expect(new Set(tokens).size).toBe(16);
    const works = await Promise.all(
      tokens.map(async (token) => (await app.client(token).token.current()).status),
    );
    expect(works).toEqual(Array(16).fill(200));
    const users = await app.db
      .selectFrom('users')
      .select('character_id')
      .where('character_id', '=', NEWCOMER)
      .execute();
    expect(users).toHaveLength(1);
    expect(await tokensOf(NEWCOMER)).toHaveLength(16);
    const grants = await app.db
      .selectFrom('grants')
      .select('grant_id')
      .where('character_id', '=', NEWCOMER)
      .execute();
    expect(grants).toHaveLength(1);
  });

  it('D3c: sign-ins that wait for a change of a whole coalition leave connections to everybody else', async () => {
    const membersOf = (corporation: number) => app.provider.world.membersOf(corporation).slice(0, 6);
    const characters = [...membersOf(98_000_002), ...membersOf(98_000_001)];
    const backs = await Promise.all(
      characters.map(async (id) => backFor((await startLogin(app, { dyn })).login_url, id)),
    );
    const other = new pg.Client({ connectionString: app.databaseUrl });
    await other.connect();
    await other.query(`begin; select pg_advisory_xact_lock(hashtext('grouping of bodies'))`);
    const asked = () => app.provider.requests.filter(({ path }) => path.endsWith('/oauth/token')).length;
    const before = asked();
    const answers = Promise.all(backs.map(open));
    try {
      const inTime = { timeout: 60_000 };
      await vi.waitFor(() => expect(asked() - before).toBe(characters.length), inTime);
      const waiting = async () =>
        (
          await other.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).rowCount;
      await vi.waitFor(async () => expect(await waiting()).toBe(3), inTime);
      expect((await app.client(app.root).token.current()).status).toBe(200);
      expect(await waiting()).toBe(3);
    } finally {
      await other.query('rollback');
      await other.end();
    }
    expect((await answers).map(({ status }) => status)).toEqual(Array(characters.length).fill(302));
  });

  /** Starts these sign-ins while another connection holds the lock; `work` is done when all want to be stored. */
  async function whileTheyWait(characters: readonly number[], lock: string, work: () => Promise<unknown>) {
    const backs = await Promise.all(
      characters.map(async (id) => backFor((await startLogin(app, { dyn })).login_url, id)),
    );
    const limit = vi.spyOn(app.app.services, 'signInLimit');
    const start = () => Promise.all(backs.map(open));
    const answers = await meanwhile(app, lock, [], start, async () => {
      await vi.waitUntil(() => limit.mock.calls.length === backs.length, 60_000);
      limit.mockRestore();
      await work();
    });
    expect(answers.map(({ status }) => status)).toEqual(Array(backs.length).fill(302));
  }
  const signsIn = async (id: number) => {
    const back = await backFor((await startLogin(app, { dyn })).login_url, id);
    expect((await open(back)).status).toBe(302);
  };

  it('D3c: three sign-ins of a character that wait for its row keep nobody else from signing in', async () => {
    const [one, another] = app.provider.world.membersOf(98_000_002) as [number, number];
    await signsIn(one);
    const lock = `select from users where character_id = ${one} for update`;
    await whileTheyWait([one, one, one], lock, () => signsIn(another));
  });

  it('D3c: three members who wait for a change of their corporation keep nobody of another one from it', async () => {
    const members = app.provider.world.membersOf(98_000_002).slice(0, 3);
    const [another] = app.provider.world.membersOf(98_000_001) as [number];
    for (const id of members) await signsIn(id);
    const lock = `select from users where character_id in (${members}) for update`;
    await whileTheyWait(members, lock, () => signsIn(another));
  });

  it('D39: 16 concurrent newcomers of an unknown corporation: all are registered, with its CEO', async () => {
    const characters = app.provider.world.membersOf(98_000_005).slice(0, 16);
    const backs = await Promise.all(
      characters.map(async (id) => backFor((await startLogin(app, { dyn })).login_url, id)),
    );
    const answers = await Promise.all(backs.map(open));
    expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(302));
    expect((await app.client(app.root).crash.list()).body).toEqual([]);
  });
});
