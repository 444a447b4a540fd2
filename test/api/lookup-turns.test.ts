import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { addHome, addMember } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';

const MEMBER = 2_114_000_001;

describe.each([
  ['with a rate limit', '600'],
  ['without one', '0'],
])('D3c: requests wait for their turn, %s', (_, RATE_LIMIT) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ env: { RATE_LIMIT } });
    await addHome(app);
  });
  afterAll(() => app.stop());

  it('before their token is looked up', async () => {
    const { jwt } = await addMember(app, MEMBER);
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
