import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { admitUser, setLevel } from '../fixtures/registry.ts';
import { addOrganizations, addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';

const [OWN, OTHER] = [98_920_001, 98_920_002];

let app: TestApp;
let lastId = 2_192_000_000;

beforeAll(async () => {
  app = await startTestApp();
  await addOrganizations(app, [{ corporations: [OWN, OTHER] }]);
});
afterAll(() => app.stop());

describe('D20, D27b: while a body is being sent', () => {
  /** Sends the head and half of a body; the returned function sends the rest and returns the answer. */
  async function halfOf(request: string, jwt: string, body: object) {
    const text = JSON.stringify(body);
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    const answer = new Promise<number>((resolve) => {
      socket.once('data', (data) => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(String(data))?.[1])));
    });
    const before = app.statements.length;
    const head = [`${request} HTTP/1.1`, `Host: ${new URL(app.url).host}`, 'Content-Type: application/json'];
    const fields = [...head, `Authorization: Bearer ${jwt}`, `Content-Length: ${text.length}`, '', ''];
    socket.write(fields.join('\r\n') + text.slice(0, 5));
    // The request is admitted and the service waits for the body.
    while (app.statements.length === before) await new Promise(setImmediate);
    await ok(app.client(app.root).token.current());
    return {
      async rest(): Promise<number> {
        socket.write(text.slice(5));
        const status = await answer;
        socket.destroy();
        return status;
      },
    };
  }

  it.each([
    ['a demotion', 403, (id: number) => setLevel(app, id, 0)],
    ['a deletion', 401, (id: number) => app.db.deleteFrom('tokens').where('owner_id', '=', id).execute()],
  ])('%s counts for what is read, too', async (_, status, happen) => {
    const id = ++lastId;
    await addUser(app, { id, level: 7, corporation: OWN });
    await admitUser(app, id);
    const { jwt } = await makeToken(app, 'per', id, uuidOf(app.root));
    await addUser(app, { id: ++lastId, corporation: OTHER });
    const body = { on_behalf_of: lastId };
    const path = `POST /ext/characters/${lastId}/skills`;
    const inTime = await halfOf(path, jwt, body);
    // That character has no refresh token.
    expect(await inTime.rest()).toBe(404);
    const late = await halfOf(path, jwt, body);
    await happen(id);
    expect(await late.rest()).toBe(status);
  });
});
