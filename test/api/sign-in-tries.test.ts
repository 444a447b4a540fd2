import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { completeSignIn } from '../../server/sign-in/sign-in.ts';
import { letIn } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { otherProcess } from '../harness/provider.ts';
import {
  addInvitation,
  callBack,
  expectPage,
  linksOf,
  startLogin,
  TITLES,
  userRow,
  userTokenOf,
} from '../harness/sign-in.ts';

const HOST = 98_000_011;
const MEMBER = 2_112_000_049;
/** A character that may log in and never did. */
const LATE = 2_112_000_055;
const TOKEN_ENDPOINT = 'POST /v2/oauth/token';
const SPENT = 'tried too often';

describe('D26: a code that the provider refuses', () => {
  let app: TestApp;
  let dyn: string;

  beforeAll(async () => {
    app = await startTestApp();
    dyn = await app.dynamicToken('https://fleet.example/signed-in');
    await letIn(app, { corporations: [HOST] });
  });
  afterEach(() => app.provider.reset());
  afterAll(() => app.stop());

  /** The number of requests to the provider's token endpoint during `work`. */
  async function asked(work: () => Promise<unknown>): Promise<number> {
    const count = () => app.provider.requests.filter(({ path }) => path === '/v2/oauth/token').length;
    const before = count();
    await work();
    return count() - before;
  }
  const wrong = (state: string, code = 'wrong') => callBack(app, { code, state });
  const codeOf = async (loginUrl: string, characterId = MEMBER) =>
    new URL(await app.provider.authorize(loginUrl, { characterId })).searchParams.get('code') ?? '';

  it('D8: a sign-in that is stored succeeds though the database cannot be reached after that', async () => {
    const { services } = app.app;
    const db = services.db.withPlugin({
      transformQuery({ node }) {
        const text = JSON.stringify(node);
        if (text.includes('"tries"') && text.includes('"operator":"-"'))
          throw Object.assign(new Error('no database'), { code: 'ECONNREFUSED' });
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const complete = async (code?: string) => {
      const { login_url, state_code } = await startLogin(app, { dyn });
      const query = { state: state_code, code: code ?? (await codeOf(login_url)) };
      return { query, outcome: await completeSignIn({ ...services, db }, query, undefined) };
    };
    const { query, outcome } = await complete();
    expect(outcome).toMatchObject({ kind: 'signed-in' });
    const again = await expectPage(await callBack(app, query), 400, TITLES.badRequest);
    expect(again).toContain('was completed already');
    expect(again).not.toContain('Nothing was stored');
    // Nor is another outcome replaced.
    app.provider.faults.add(TOKEN_ENDPOINT, { kind: 'status', status: 503, as: 'text' });
    expect((await complete()).outcome).toMatchObject({ refusal: { kind: 'provider-failed' } });
  });

  it('is a 400 page that does not blame the provider, with a link back to the application', async () => {
    const { state_code } = await startLogin(app, { dyn });
    const html = await expectPage(await wrong(state_code), 400, TITLES.badRequest);
    expect(html).toContain('The code in the address is not valid');
    expect(html).not.toMatch(/provider|out of order/);
    expect(linksOf(html)).toEqual({ 'Back to fleet.example': 'https://fleet.example' });
  });

  it('after four of them the right code still works', async () => {
    const { login_url, state_code } = await startLogin(app, { dyn });
    for (let n = 0; n < 4; n += 1) await expectPage(await wrong(state_code), 400, TITLES.badRequest);
    expect((await app.browse(login_url, { characterId: MEMBER })).status).toBe(302);
  });

  it('after five of them the state code is dead, and no further code is sent to the provider', async () => {
    const { login_url, state_code } = await startLogin(app, { dyn });
    expect(
      await asked(async () => {
        for (let n = 0; n < 5; n += 1) await wrong(state_code);
      }),
    ).toBe(5);
    const requests = await asked(async () => {
      const html = await expectPage(
        await app.browse(login_url, { characterId: MEMBER }),
        400,
        TITLES.badRequest,
      );
      expect(html).toContain(SPENT);
    });
    expect(requests).toBe(0);
    const again = await app.client(dyn).token.startLogin({ body: { state_code } });
    expect(again.status).toBe(404);
  });

  it('at most five are sent to the provider, however many arrive concurrently at however many processes', async () => {
    const other = otherProcess(app);
    const { state_code } = await startLogin(app, { dyn });
    const elsewhere = () =>
      completeSignIn({ ...app.app.services, db: other.db }, { code: 'wrong', state: state_code }, undefined);
    const requests = await asked(() =>
      Promise.all(Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? wrong(state_code) : elsewhere()))),
    );
    expect(requests).toBe(5);
    await other.stop();
  });

  it('the same holds for an invitation', async () => {
    const stateCode = await addInvitation(app, HOST);
    await startLogin(app, { dyn, stateCode });
    for (let n = 0; n < 5; n += 1) await wrong(stateCode);
    await expect(startLogin(app, { dyn, stateCode })).rejects.toThrow('404');
  });

  it('other failures do not count: an outage, a cancellation, a refusal', async () => {
    const { login_url, state_code } = await startLogin(app, { dyn });
    for (let n = 0; n < 3; n += 1) {
      app.provider.faults.add(TOKEN_ENDPOINT, { kind: 'status', status: 503 }, { times: 1 });
      expect((await app.browse(login_url, { characterId: MEMBER })).status).toBe(502);
      expect((await app.browse(login_url, { cancel: true })).status).toBe(403);
      expect((await app.browse(login_url, { characterId: 2_112_000_028 })).status).toBe(403);
    }
    const { tries } = await app.db
      .selectFrom('state_codes')
      .select('tries')
      .where('state_code', '=', state_code)
      .executeTakeFirstOrThrow();
    expect(tries).toBe(0);
    expect((await app.browse(login_url, { characterId: MEMBER })).status).toBe(302);
  });

  /** Sends two codes; the provider's answer to the first is held until the second is finished. */
  async function overtaken(
    state: string,
    first: string,
    second: string,
  ): Promise<readonly [Response, Response]> {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = app.provider.faults.add(TOKEN_ENDPOINT, { kind: 'hold', until }, { times: 1 });
    const slow = wrong(state, first);
    await expect.poll(() => held.strikes).toBe(1);
    const quick = await wrong(state, second);
    release();
    return [await slow, quick];
  }

  it('that arrives while the right one is checked does not affect it', async () => {
    const { login_url, state_code } = await startLogin(app, { dyn });
    const [right, bad] = await overtaken(state_code, await codeOf(login_url), 'wrong');
    expect([right.status, bad.status]).toEqual([302, 400]);
  });

  it('that arrived first and is still being checked does not affect the right one', async () => {
    const { login_url, state_code } = await startLogin(app, { dyn });
    const [bad, right] = await overtaken(state_code, 'wrong', await codeOf(login_url));
    expect([right.status, bad.status]).toEqual([302, 400]);
  });

  it('D25: of two concurrent right codes one signs in, and the other leaves no data', async () => {
    const { login_url, state_code } = await startLogin(app, { dyn });
    const [one, other] = [await codeOf(login_url, LATE), await codeOf(login_url, MEMBER)];
    const [late, early] = await overtaken(state_code, one, other);
    expect(userTokenOf(early)).not.toBe('');
    const html = await expectPage(late, 400, TITLES.badRequest);
    expect(html).toContain('completed already');
    expect(await userRow(app, LATE)).toBeUndefined();
    const { rows } = await sql`select from tokens where owner_id = ${LATE}`.execute(app.db);
    expect(rows).toEqual([]);
  });
});
