import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { addHome, addMember, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { occupy } from '../harness/occupy.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await addHome(app);
});
afterAll(() => app.stop());

const READS: readonly (readonly [path: string, (client: Client) => Promise<{ readonly status: number }>])[] =
  [
    ['/audit', ({ audit }) => audit.list()],
    ['/event', ({ event }) => event.list({ query: { after: 0 } })],
  ];
let lastId = 2_114_000_000;

/** What `GET /audit` or `GET /event` answers a user of level 8 for whom there is no room until this has happened. */
async function answerAfter(
  read: (client: Client) => Promise<{ readonly status: number }>,
  happens: (token: { readonly jwt: string }) => Promise<unknown>,
): Promise<unknown> {
  const { lines } = app.app.services;
  lastId += 1;
  const reader = await addMember(app, lastId, 8);
  const leaves = ['somebody', 'somebody else', 'a third one'].map((key) => occupy(lines.events, key));
  const entered = vi.spyOn(lines, 'events');
  try {
    const answer = read(app.client(reader.jwt));
    await vi.waitUntil(() => entered.mock.calls.length > 0, 60_000);
    await happens(reader);
    for (const leave of leaves) leave();
    return await answer;
  } finally {
    entered.mockRestore();
    for (const leave of leaves) leave();
  }
}

describe('D3c: readers of events for whom each event is judged leave connections to everybody else', () => {
  it.each(READS)(
    'GET %s waits while three others read, and for nothing that sees all events',
    async (_, read) => {
      const others = async () => {
        await ok(app.client(app.root).audit.list());
        await ok(app.client(app.root).event.list({ query: { after: 0 } }));
      };
      expect(await answerAfter(read, others)).toMatchObject({ status: 200 });
    },
  );

  it.each(READS)('D20: GET %s tells nothing to a token that is deleted meanwhile', async (_, read) => {
    const deleted = ({ jwt }: { readonly jwt: string }) =>
      app.db.deleteFrom('tokens').where('uuid', '=', uuidOf(jwt)).execute();
    expect(await answerAfter(read, deleted)).toMatchObject({ status: 401, body: { code: 'token_revoked' } });
  });
});
