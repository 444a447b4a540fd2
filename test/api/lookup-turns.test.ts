import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { addHome, addMember } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';

const MEMBER = 2_114_000_001;

describe.each([
  // The first one waits for the database to be counted, the next one is counted by what that has leased.
  ['with a rate limit, the first one', '600', 0],
  ['with a rate limit, the next one', '600', 1],
  ['without a rate limit', '0', 0],
])('D3c: requests wait for their turn, %s', (_, RATE_LIMIT, before) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ env: { RATE_LIMIT } });
    await addHome(app);
  });
  afterAll(() => app.stop());

  it('before their token is looked up', async () => {
    const { jwt } = await addMember(app, MEMBER);
    for (let n = 0; n < before; n += 1) await ok(app.client(jwt).token.current());
    const { services } = app.app;
    // Deleted while it waits: a lookup before that would not know.
    const turns = vi.spyOn(services, 'lookupTurns').mockImplementation(async (_claims, lookup) => {
      await app.db.deleteFrom('tokens').where('owner_id', '=', MEMBER).execute();
      return lookup();
    });
    const answer = await app.client(jwt).token.current();
    expect(answer).toMatchObject({ status: 401, body: { code: 'token_revoked' } });
    expect(turns.mock.calls.map(([{ kind, ownerId }]) => [kind, ownerId])).toEqual([['use', MEMBER]]);
    turns.mockRestore();
  });
});
