import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
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
/** Let in, and never signed in. */
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

  /** Requests that the provider's token endpoint got while `work` went on. */
  async function asked(work: () => Promise<unknown>): Promise<number> {
    const count = () => app.provider.requests.filter(({ path }) => path === '/v2/oauth/token').length;
    const before = count();
    await work();
    return count() - before;
  }
  const wrong = (state: string, code = 'wrong') => callBack(app, { code, state });
  const codeOf = async (loginUrl: string, characterId = MEMBER) =>
    new URL(await app.provider.authorize(loginUrl, { characterId })).searchParams.get('code') ?? '';

  it('is a 400 page in words that do not blame the provider, with the way back to the application', async () => {
    const { state_code } = await startLogin(app, { dyn });
    const html = await expectPage(await wrong(state_code), 400, TITLES.badRequest);
    expect(html).toContain('The code in the address is not valid');
    expect(html).not.toMatch(/provider|out of order/);
    expect(linksOf(html)).toEqual({ 'Back to fleet.example': 'https://fleet.example' });
  });

  it('four of them leave the sign-in to the right one', async () => {
    const { login_url, state_code } = await startLogin(app, { dyn });
    for (let n = 0; n < 4; n += 1) await expectPage(await wrong(state_code), 400, TITLES.badRequest);
    expect((await app.browse(login_url, { characterId: MEMBER })).status).toBe(302);
  });

  it('after five of them the state is dead, and the provider hears no more of it', async () => {
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

  it('the provider hears of five, however many come at once to how many processes', async () => {
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

  it('an invitation is no exception', async () => {
    const stateCode = await addInvitation(app, HOST);
    await startLogin(app, { dyn, stateCode });
    for (let n = 0; n < 5; n += 1) await wrong(stateCode);
    await expect(startLogin(app, { dyn, stateCode })).rejects.toThrow('404');
  });

  it('what fails otherwise costs no try: an outage, a cancellation, a refusal', async () => {
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

  /** Lets the first of two codes reach the provider, and its answer come after the second is done with. */
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
    await vi.waitFor(() => expect(held.strikes).toBe(1));
    const quick = await wrong(state, second);
    release();
    return [await slow, quick];
  }

  it('that comes while the right one is looked at takes nothing from it', async () => {
    const { login_url, state_code } = await startLogin(app, { dyn });
    const [right, bad] = await overtaken(state_code, await codeOf(login_url), 'wrong');
    expect([right.status, bad.status]).toEqual([302, 400]);
  });

  it('that came first, and is still being looked at, takes nothing from the right one', async () => {
    const { login_url, state_code } = await startLogin(app, { dyn });
    const [bad, right] = await overtaken(state_code, 'wrong', await codeOf(login_url));
    expect([right.status, bad.status]).toEqual([302, 400]);
  });

  it('D25: of two right codes at once, one signs in and the other leaves nothing behind', async () => {
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
