import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { meanwhile } from '../harness/meanwhile.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const DELETE_TOKEN = 'delete from tokens where uuid = $1';
const DELETE_USER = 'delete from users where character_id = $1';
const REVOKED = {
  status: 401,
  body: { detail: 'The token was revoked or is unknown.', code: 'token_revoked' },
};

describe('a token that is deleted during its request (D20)', () => {
  const callback = 'http://127.0.0.1:9/app';
  it.each<[string, 'per' | 'dyn', (client: Client) => Promise<{ status: number; body: unknown }>]>([
    ['dynamic token', 'per', (client) => client.token.createDynamic({ body: { callback } })],
    ['permanent token', 'per', (client) => client.token.createPermanent({ body: { callback } })],
    ['user token', 'per', (client) => client.token.createUserToken()],
    ['login', 'dyn', (client) => client.token.startLogin({ body: {} })],
    ['group', 'per', (client) => client.group.create({ body: { group_name: 'Of a dead token' } })],
  ])('makes no %s: 401', async (_, kind, request) => {
    const { uuid, jwt } = await makeToken(app, kind, 0, uuidOf(app.root));
    const answer = await meanwhile(app, DELETE_TOKEN, [uuid], () => request(app.client(jwt)));
    expect(answer).toMatchObject(REVOKED);
  });

  it('logs out nevertheless', async () => {
    const { uuid, jwt } = await makeToken(app, 'per', 0, uuidOf(app.root));
    const answer = await meanwhile(app, DELETE_TOKEN, [uuid], () => app.client(jwt).token.logout());
    expect(answer.status).toBe(200);
  });

  it('creates no group when its owner is deleted: 401', async () => {
    await addUser(app, { id: 7_001, level: 9 });
    const { jwt } = await makeToken(app, 'per', 7_001, uuidOf(app.root));
    const answer = await meanwhile(app, DELETE_USER, [7_001], () =>
      app.client(jwt).group.create({ body: { group_name: 'Of nobody' } }),
    );
    expect(answer).toMatchObject(REVOKED);
    expect(await app.db.selectFrom('groups').selectAll().execute()).toEqual([]);
  });

  it("sets nobody's level when its owner is deleted: 401", async () => {
    await addUser(app, { id: 7_002, level: 10 });
    await addUser(app, { id: 7_003 });
    const { jwt } = await makeToken(app, 'per', 7_002, uuidOf(app.root));
    const raise = { params: { character_id: 7_003 }, body: { clearance_level: 1 } };
    const answer = await meanwhile(app, DELETE_USER, [7_002], () => app.client(jwt).user.update(raise));
    expect(answer).toMatchObject(REVOKED);
  });
});
