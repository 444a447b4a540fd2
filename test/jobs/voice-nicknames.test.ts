import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type SimulatedVoiceServer, startSimulatedVoiceServer } from '../../dev/voice-server/server.ts';
import type { Run } from '../../server/queue/run.ts';
import { checkVoiceNicknames } from '../../server/voice/check-nicknames.ts';
import { VoiceError } from '../../server/voice-server/voice-error.ts';
import { addHome, addUser, HOME } from '../fixtures/users.ts';
import { addIdentity } from '../fixtures/voice.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { testRun } from '../harness/run.ts';

const LIMITS = { connect: 2_000, command: 2_000, total: 20_000 };

let voice: SimulatedVoiceServer;
let app: TestApp;
let lastId = 2_196_000_000;

beforeAll(async () => {
  voice = await startSimulatedVoiceServer();
  app = await startTestApp({ env: { VOICE_URL: voice.url } });
  await addHome(app);
});
afterAll(async () => {
  await app.stop();
  await voice.stop();
});
afterEach(async () => {
  voice.strike = () => undefined;
  voice.world.clients.splice(0);
  voice.world.messages.splice(0);
  await app.db.deleteFrom('voice_identities').execute();
});

const check = (options: Partial<Omit<Run, 'job'>> = {}) =>
  checkVoiceNicknames(app.app.services, testRun('check-voice-nicknames', options), LIMITS);

async function somebody(name: string, nickname: string) {
  lastId += 1;
  await addUser(app, { id: lastId, corporation: HOME.corporation, name });
  return { id: lastId, client: await addIdentity(app, voice, lastId, nickname) };
}

/** The messages sent to a client. */
const toldTo = ({ clid }: { readonly clid: number }) =>
  voice.world.messages.filter((message) => message.clid === clid).map(({ text }) => text);

describe('D41: nicknames', () => {
  it('clients whose nickname is not the name with ticker get a message with it; others, and unknown clients, get none', async () => {
    const right = await somebody('Ada Vale', '[A1] Ada Vale');
    const wrong = await somebody('Bo Reed', 'Bo "the|slash/" Reed');
    const stranger = voice.world.connect('Stranger');
    expect(await check()).toEqual([
      {
        action: 'message',
        character_id: wrong.id,
        client_database_id: wrong.client.clientDatabaseId,
        nickname: 'Bo "the|slash/" Reed',
        should_be: '[A1] Bo Reed',
      },
    ]);
    expect(toldTo(wrong.client)).toEqual([
      'Your nickname here is "Bo "the|slash/" Reed". Please change it to "[A1] Bo Reed".',
    ]);
    expect([...toldTo(right.client), ...toldTo(stranger)]).toEqual([]);
    expect(voice.world.messages[0]?.from).toBe('castellan');
  });

  it('at most about once an hour', async () => {
    const { client } = await somebody('Cy Moss', 'Cy');
    await check();
    app.clock.advance(54 * 60_000);
    expect(await check()).toEqual([]);
    app.clock.advance(2 * 60_000);
    await check();
    expect(toldTo(client)).toHaveLength(2);
  });

  it('who has the name on one connection gets no message on another: the server gives a name only once', async () => {
    const [right, wrong] = [await somebody('Nan Holt', '[A1] Nan Holt'), await somebody('Oz Birch', 'Oz')];
    const { clientDatabaseId } = right.client;
    const phone = voice.world.connect('Nan on the phone', { clientDatabaseId });
    // Listed first, too.
    voice.world.clients.reverse();
    voice.world.connect('Oz on the phone', { clientDatabaseId: wrong.client.clientDatabaseId });
    expect(await check()).toMatchObject([{ character_id: wrong.id }]);
    expect([right.client, phone].flatMap(toldTo)).toEqual([]);
    expect(voice.world.messages).toHaveLength(1);
  });

  it('of a name that is too long the first 30 characters count', async () => {
    const name = 'Maximiliana Featherstonehaugh IV';
    const { client } = await somebody(name, `[A1] ${name}`.slice(0, 30));
    await check();
    expect(toldTo(client)).toEqual([]);
  });

  it('a client that is completing a challenge gets no message', async () => {
    const { id, client } = await somebody('Di Fox', 'k7Qm2XvR9tLb4WzC8nHd');
    const now = app.clock.now();
    const expires_on = new Date(now.getTime() + 120_000);
    await app.db
      .insertInto('voice_challenges')
      .values({ character_id: id, nickname: client.nickname, expires_on })
      .execute();
    await check();
    expect(toldTo(client)).toEqual([]);
    app.clock.advance(121_000);
    await check();
    expect(toldTo(client)).toHaveLength(1);
  });

  it('users that may not log in get no message, nor does the built-in user', async () => {
    lastId += 1;
    await addUser(app, { id: lastId });
    const clients = [await addIdentity(app, voice, lastId), await addIdentity(app, voice, 0)];
    await check();
    expect(clients.flatMap(toldTo)).toEqual([]);
  });

  it('when the sender’s name is taken, the messages are sent nevertheless', async () => {
    voice.world.connect('castellan');
    const { client } = await somebody('Ed Hart', 'Ed');
    await check();
    expect(toldTo(client)).toHaveLength(1);
  });

  it('a client that leaves meanwhile gets its message in the next run; one that got it before a fault does not get it again', async () => {
    const [one, two] = [await somebody('Fay Ash', 'Fay'), await somebody('Gus Oak', 'Gus')];
    let sent = 0;
    voice.strike = ({ at }) => {
      if (at === 'sendtextmessage') sent += 1;
      return at === 'sendtextmessage' && sent === 2 ? { kind: 'reset' } : undefined;
    };
    await expect(check()).rejects.toThrow(VoiceError);
    voice.strike = () => undefined;
    voice.world.messages.splice(0);
    await check();
    expect([toldTo(one.client).length, toldTo(two.client).length]).toEqual([0, 1]);

    const third = await somebody('Hal Elm', 'Hal');
    voice.strike = ({ at }) => {
      if (at === 'clientupdate') voice.world.clients.splice(0);
      return undefined;
    };
    expect(await check()).toEqual([]);
    voice.strike = () => undefined;
    voice.world.connect('Hal again', { clientDatabaseId: third.client.clientDatabaseId });
    expect(await check()).toHaveLength(1);
  });

  it('a client that refuses its message keeps nobody else from theirs; then the run fails', async () => {
    const [one, two] = [await somebody('Lou Fen', 'Lou'), await somebody('Max Dell', 'Max')];
    let sent = 0;
    voice.strike = ({ at }) =>
      at === 'sendtextmessage' && ++sent === 1 ? { kind: 'refuse', id: 2568 } : undefined;
    await expect(check()).rejects.toMatchObject({ kind: 'refused', code: 2568 });
    expect([toldTo(one.client).length, toldTo(two.client).length]).toEqual([0, 1]);
    expect(await check()).toMatchObject([{ character_id: one.id }]);
    expect([toldTo(one.client).length, toldTo(two.client).length]).toEqual([1, 1]);
  });

  it('are told under another name when the server refuses ours, whatever the reason', async () => {
    const { client } = await somebody('Kit Moor', 'Kit');
    voice.strike = ({ at }) => (at === 'clientupdate' ? { kind: 'refuse', id: 2568 } : undefined);
    expect(await check()).toHaveLength(1);
    expect(toldTo(client)).toHaveLength(1);
  });

  it('a dry run sends no message and stores nothing', async () => {
    const { client } = await somebody('Ivy Lane', 'Ivy');
    expect(await check({ dryRun: true })).toHaveLength(1);
    expect(toldTo(client)).toEqual([]);
    expect(await check()).toHaveLength(1);
  });

  it('one connection each run, closed at its end', async () => {
    await somebody('Jo Wren', 'Jo');
    const before = voice.connections;
    await check();
    expect(voice.connections - before).toBe(1);
    await expect.poll(() => voice.open).toBe(0);
  });
});
