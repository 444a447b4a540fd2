import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { noticeHandover } from '../../server/sign-in/notice-handover.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { addGrant, expireAccessTokens, outcomeOf, ownRecord, SKILLS } from '../harness/provider.ts';

const ADA = 2_112_000_001;
const TOKEN = '/v2/oauth/token';
const REVOKE = '/v2/oauth/revoke';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ worker: true });
});
afterAll(() => app.stop());

it.each([
  [
    'deleted (D19b)',
    async () => {
      expect((await app.client(app.root).user.delete({ params: { character_id: ADA } })).status).toBe(200);
    },
  ],
  [
    'handed over (D29b)',
    async () => {
      await noticeHandover(app.app.services, {
        characterId: ADA,
        characterName: 'Ada',
        ownerHash: 'another',
      });
    },
  ],
])(
  'D19b, D29b: no refresh token of a character that is %s while it is replaced stays alive at the provider',
  async (_, happen) => {
    const { services } = app.app;
    const { provider, db } = app;
    provider.reset();
    provider.rotateRefreshTokens = true;
    await addGrant(app, ADA, [SKILLS]);
    await db.updateTable('users').set({ owner_hash: 'one' }).where('character_id', '=', ADA).execute();
    await expireAccessTokens(app);
    const refresh = vi.spyOn(services.sso, 'refresh');
    let answer: () => void = () => undefined;
    const until = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const held = provider.faults.add(TOKEN, { kind: 'hold', until }, { times: 1 });
    const asked = outcomeOf(services.client.ask(ownRecord(ADA)));
    await expect.poll(() => held.strikes).toBe(1);
    const revocations = () => provider.requests.filter(({ path }) => path === REVOKE).length;
    const before = revocations();

    await happen();
    await expect.poll(revocations, { timeout: 20_000 }).toBe(before + 1);
    // The sign-on fails at first when the new one is revoked, too.
    provider.faults.add(REVOKE, { kind: 'status', status: 503, as: 'text' }, { times: 1 });
    answer();
    expect(await asked).toBe('no-token');
    const outcome = await (refresh.mock.results[0]?.value as ReturnType<typeof services.sso.refresh>);
    if (outcome.kind === 'dead') throw new Error('the refresh failed');
    refresh.mockRestore();
    expect(
      await db.selectFrom('grants').select('grant_id').where('character_id', '=', ADA).execute(),
    ).toEqual([]);
    const retry = sql`update pgboss.job set start_after = now() where name = 'revoke-grant' and state = 'retry'`;
    await expect.poll(async () => (await retry.execute(db)).numAffectedRows).toBe(1n);
    await expect.poll(revocations).toBe(before + 3);
    expect((await services.sso.refresh(outcome.refreshToken)).kind).toBe('dead');
  },
  60_000,
);
