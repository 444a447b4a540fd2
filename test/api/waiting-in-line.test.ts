import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { contract } from '../../contract/index.ts';
import { type Caller, findCaller } from '../../server/access/caller.queries.ts';
import type { Lines } from '../../server/access/lines.ts';
import { addHome, addUser, HOME, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { occupy } from '../harness/occupy.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { VOICE_URL: 'ts3query://castellan:secret@127.0.0.1:9/?server_id=1' } });
  await addHome(app);
});
afterAll(() => app.stop());

let lastId = 2_114_000_000;
/** A token of a user of level 7, and by whom it takes turns. */
async function someToken(kind: 'per' | 'dyn') {
  lastId += 1;
  await addUser(app, { id: lastId, level: 7, corporation: HOME.corporation });
  const token = await makeToken(app, kind, lastId, uuidOf(app.root));
  return { ...token, owner: lastId, lineKey: kind === 'dyn' ? token.uuid : String(lastId) };
}
type Token = Awaited<ReturnType<typeof someToken>>;

async function somebodyAdmitted() {
  const token = await someToken('per');
  const caller = (await findCaller(app.db, token.uuid)) as Caller;
  const rule = contract.token.current.metadata.access;
  return { ...token, admission: { caller, rule, params: {}, body: undefined, clock: app.clock } };
}

interface Waiting {
  readonly line: keyof Lines;
  /** By whom the line is occupied. */
  readonly by: (token: Token) => readonly string[];
  readonly kind?: 'per' | 'dyn';
  readonly request: (client: Client) => Promise<{ readonly status: number }>;
}

const inOwnLine = { line: 'callers', by: ({ lineKey }: Token) => [lineKey] } as const;
const OTHERS = ['somebody', 'somebody else', 'a third one'];

const WAITING: readonly (readonly [what: string, waiting: Waiting])[] = [
  ['makes no user token', { ...inOwnLine, request: ({ token }) => token.createUserToken() }],
  ['begins no challenge', { ...inOwnLine, request: ({ voice }) => voice.start() }],
  [
    'begins no sign-in',
    { ...inOwnLine, kind: 'dyn', request: ({ token }) => token.startLogin({ body: {} }) },
  ],
  [
    'reads no compliance',
    {
      line: 'compliance',
      by: () => OTHERS.slice(0, 2),
      request: ({ corporation }) => corporation.compliance({ params: { corporation_id: HOME.corporation } }),
    },
  ],
  [
    'reads no events',
    {
      line: 'looks',
      by: () => OTHERS,
      request: ({ event }) => event.list({ query: { after: 0, wait: 30 } }),
    },
  ],
];

/** The answer to a request that has to wait in a line, where this happens meanwhile. */
async function answerTo(
  { line, by, kind = 'per', request }: Waiting,
  happens: (token: Token) => Promise<unknown>,
): Promise<unknown> {
  const { lines } = app.app.services;
  const token = await someToken(kind);
  const leaves = by(token).map((key) => occupy(lines[line], key));
  const entered = vi.spyOn(lines, line);
  const answer = request(app.client(token.jwt));
  await vi.waitUntil(() => entered.mock.calls.length > 0, 60_000);
  entered.mockRestore();
  await happens(token);
  for (const leave of leaves) leave();
  return answer;
}

it('D3c: of one caller 300 writes wait, and one more is refused', async () => {
  const { admission, lineKey } = await somebodyAdmitted();
  const { callers } = app.app.services.lines;
  const leave = occupy(callers, lineKey);
  const done = async () => 'done';
  const waiting = Array.from({ length: 300 }, () => callers(lineKey, admission, done));
  await expect(callers(lineKey, admission, done)).rejects.toMatchObject({ code: 'too_many_waiting' });
  expect(await callers('somebody else', admission, done)).toBe('done');
  leave();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['done']));
});

it('D3c: slow writes and slow reads together are fewer than the database connections of a process', async () => {
  const { slowWrites, events, compliance } = app.app.services.lines;
  const leaves = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => occupy(slowWrites, key));
  const { admission, lineKey } = await somebodyAdmitted();
  const came: string[] = [];
  const reads = [
    events(lineKey, admission, async () => came.push('events')),
    compliance(lineKey, admission, async () => came.push('compliance')),
  ];
  await findCaller(app.db, uuidOf(app.root));
  expect(came).toEqual([]);
  leaves[0]?.();
  await Promise.all(reads);
  expect(came.sort()).toEqual(['compliance', 'events']);
  for (const leave of leaves) leave();
});

describe('whoever had to wait for others is judged anew', () => {
  it.each(WAITING)('D20: a token that is deleted meanwhile %s', async (_, waiting) => {
    const deleted = ({ uuid }: Token) => app.db.deleteFrom('tokens').where('uuid', '=', uuid).execute();
    expect(await answerTo(waiting, deleted)).toMatchObject({ status: 401, body: { code: 'token_revoked' } });
  });

  it.each(WAITING)('D27b: one whose owner may not log in any more %s', async (_, waiting) => {
    const shutOut = ({ owner }: Token) =>
      app.db.updateTable('users').set({ corporation_id: null }).where('character_id', '=', owner).execute();
    expect(await answerTo(waiting, shutOut)).toMatchObject({
      status: 401,
      body: { code: 'login_not_allowed' },
    });
  });

  it.each(WAITING)('D14: one whose owner is demoted %s', async (_, waiting) => {
    const demoted = ({ owner }: Token) =>
      app.db.updateTable('users').set({ clearance_level: -1 }).where('character_id', '=', owner).execute();
    expect(await answerTo(waiting, demoted)).toMatchObject({ status: 403, body: { code: 'level_too_low' } });
  });

  it('D14: what is done then goes by the present level', async () => {
    const { admission, owner, lineKey } = await somebodyAdmitted();
    const { callers } = app.app.services.lines;
    const leave = occupy(callers, lineKey);
    const level = callers(lineKey, admission, async ({ caller }) => caller.level);
    await app.db.updateTable('users').set({ clearance_level: 3 }).where('character_id', '=', owner).execute();
    leave();
    expect(await level).toBe(3);
  });

  it('and nobody else is, which would cost a statement', async () => {
    const { admission, lineKey } = await somebodyAdmitted();
    const before = app.statements.length;
    expect(await app.app.services.lines.callers(lineKey, admission, async (admitted) => admitted)).toBe(
      admission,
    );
    expect(app.statements.length).toBe(before);
  });
});
