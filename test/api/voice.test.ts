import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { VoiceChallenge } from '../../contract/voice.ts';
import { type SimulatedVoiceServer, startSimulatedVoiceServer } from '../../dev/voice-server/server.ts';
import { ok } from '../../sdk/src/index.ts';
import { nameKey } from '../../server/database/name-key.ts';
import { ensureVoiceGroup } from '../../server/voice/voice.queries.ts';
import { allEvents, eventsOf, misfits } from '../fixtures/events.ts';
import { letIn, setLevel } from '../fixtures/registry.ts';
import { addHome, addMember, makeToken, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { meanwhile, untilBehind } from '../harness/meanwhile.ts';
import { send } from '../harness/send.ts';

let voice: SimulatedVoiceServer;
let app: TestApp;
let lastId = 2_180_000_000;

beforeAll(async () => {
  voice = await startSimulatedVoiceServer();
  app = await startTestApp({ env: { VOICE_URL: voice.url, VOICE_AUTH_GROUP: 'On voice' } });
  await addHome(app);
});
afterAll(async () => {
  await app.stop();
  await voice.stop();
});
afterEach(() => {
  voice.world.clients.splice(0);
  voice.strike = () => undefined;
});

const NO_CHALLENGE = {
  status: 404,
  body: { detail: 'Could not find challenge for user', code: 'voice_challenge_missing' },
};
const NO_CLIENT = {
  status: 404,
  body: { detail: 'Could not find corresponding teamspeak client', code: 'voice_client_missing' },
};

const member = () => addMember(app, ++lastId);
type Somebody = Awaited<ReturnType<typeof member>>;

const start = (token: string) => app.client(token).voice.start();
const complete = (token: string) => app.client(token).voice.complete();

async function nicknameFor({ jwt }: Somebody): Promise<string> {
  return (await ok(start(jwt))).challenge_nickname;
}

/** A whole challenge: start, take the nickname, complete. */
async function prove(somebody: Somebody, clientDatabaseId?: number): Promise<number> {
  const client = voice.world.connect(
    await nicknameFor(somebody),
    clientDatabaseId ? { clientDatabaseId } : {},
  );
  expect(await complete(somebody.jwt)).toMatchObject({ status: 201, body: undefined });
  voice.world.clients.splice(0);
  return client.clientDatabaseId;
}

async function identityOf(id: number): Promise<number | undefined> {
  const row = await app.db
    .selectFrom('voice_identities')
    .select('client_database_id')
    .where('character_id', '=', id)
    .executeTakeFirst();
  return row?.client_database_id;
}

/** The identities of which `voice.unbound` says that they were this user's (D91). */
async function unboundOf(id: number): Promise<number[]> {
  const events = (await allEvents(app.db)).filter(({ type, targets }) => {
    return type === 'voice.unbound' && targets[1]?.id === String(id);
  });
  return events.map(({ targets }) => Number(targets[0]?.id));
}

const voiceGroup = () =>
  app.db.selectFrom('groups').selectAll().where('is_voice', '=', true).executeTakeFirstOrThrow();

async function isInVoiceGroup(id: number): Promise<boolean> {
  const { body } = await app
    .client(app.root)
    .group.get({ params: { group_id: (await voiceGroup()).group_id } });
  return 'members' in body && body.members.some(({ character_id }) => character_id === id);
}

describe('D40: the challenge', () => {
  it('is a nickname of 20 random letters and digits, for the caller, valid 2 minutes', async () => {
    const somebody = await member();
    const { status, body } = await start(somebody.jwt);
    expect(status).toBe(200);
    expect(body).toEqual({
      challenge_nickname: expect.stringMatching(/^[A-Za-z0-9]{20}$/),
      expiration_datetime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      user: { character_id: somebody.id, character_name: somebody.name },
    });
    const left = Date.parse((body as VoiceChallenge).expiration_datetime) - app.clock.now().getTime();
    expect(left).toBeLessThanOrEqual(120_000);
    expect(left).toBeGreaterThan(110_000);
  });

  it('D20: is given to nobody who is being deleted', async () => {
    const { id, jwt } = await member();
    const gone = 'delete from users where character_id = $1';
    expect((await meanwhile(app, gone, [id], () => start(jwt))).status).toBe(401);
  });

  it('that another one replaces during the request proves nothing', async () => {
    const somebody = await member();
    voice.world.connect(await nicknameFor(somebody));
    const replaced = "update voice_challenges set nickname = 'another' where character_id = $1";
    const answer = await meanwhile(app, replaced, [somebody.id], () => complete(somebody.jwt));
    expect(answer).toMatchObject(NO_CHALLENGE);
    expect(await identityOf(somebody.id)).toBeUndefined();
  });

  it('uses every letter and digit, and gives no nickname twice', async () => {
    const { jwt } = await member();
    const nicknames = new Set<string>();
    // In 2,000 characters one of 62 is missing by chance once in a million million times; in 800 once in 7,000.
    for (let n = 0; n < 100; n += 1) nicknames.add((await ok(start(jwt))).challenge_nickname);
    expect(nicknames.size).toBe(100);
    expect(new Set([...nicknames].join('')).size).toBe(62);
  });

  it('a new one replaces the previous one', async () => {
    const somebody = await member();
    const former = await nicknameFor(somebody);
    const present = await nicknameFor(somebody);
    voice.world.connect(former);
    expect(await complete(somebody.jwt)).toMatchObject(NO_CLIENT);
    voice.world.connect(present);
    expect(await complete(somebody.jwt)).toMatchObject({ status: 201 });
  });

  it('is valid to the end of its 2 minutes; an expired one counts as none', async () => {
    const somebody = await member();
    voice.world.connect(await nicknameFor(somebody));
    app.clock.advance(119_000);
    expect(await complete(somebody.jwt)).toMatchObject({ status: 201 });
    voice.world.connect(await nicknameFor(somebody));
    app.clock.advance(120_001);
    expect(await complete(somebody.jwt)).toMatchObject(NO_CHALLENGE);
  });

  it('is used up by a success, and by nothing else', async () => {
    const somebody = await member();
    const nickname = await nicknameFor(somebody);
    expect(await complete(somebody.jwt)).toMatchObject(NO_CLIENT);
    voice.strike = ({ at }) => (at === 'clientlist' ? { kind: 'garbage' } : undefined);
    expect((await complete(somebody.jwt)).status).toBe(502);
    voice.strike = () => undefined;
    voice.world.connect(nickname);
    expect(await complete(somebody.jwt)).toMatchObject({ status: 201, body: undefined });
    expect(await complete(somebody.jwt)).toMatchObject(NO_CHALLENGE);
  });

  it('of two concurrent completions one succeeds', async () => {
    const somebody = await member();
    voice.world.connect(await nicknameFor(somebody));
    const answers = await Promise.all([complete(somebody.jwt), complete(somebody.jwt)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 404]);
  });

  it('belongs to one user', async () => {
    const [one, other] = [await member(), await member()];
    voice.world.connect(await nicknameFor(one));
    expect(await complete(other.jwt)).toMatchObject(NO_CHALLENGE);
    await nicknameFor(other);
    expect(await complete(other.jwt)).toMatchObject(NO_CLIENT);
  });
});

describe('D41: the identity', () => {
  it('is bound to the user, who becomes a member of the voice autogroup named by VOICE_AUTH_GROUP', async () => {
    const somebody = await member();
    const identity = await prove(somebody);
    expect(await identityOf(somebody.id)).toBe(identity);
    expect(await voiceGroup()).toMatchObject({ group_name: 'On voice', is_autogroup: true });
    expect(await isInVoiceGroup(somebody.id)).toBe(true);
    await prove(somebody, identity);
    expect(await identityOf(somebody.id)).toBe(identity);
  });

  it('belongs to the user that proved it last: the former one loses it, and the autogroup', async () => {
    const [one, other] = [await member(), await member()];
    const identity = await prove(one);
    await prove(other, identity);
    expect([await identityOf(one.id), await identityOf(other.id)]).toEqual([undefined, identity]);
    expect([await isInVoiceGroup(one.id), await isInVoiceGroup(other.id)]).toEqual([false, true]);
  });

  it('D100: no event names both, whom readers of each could take for one human by its id', async () => {
    const [one, other] = [await member(), await member()];
    const identity = await prove(one);
    const events = await eventsOf(app.db, () => prove(other, identity));
    const members = events
      .filter(({ type }) => type === 'group.members_changed')
      .map(({ changes }) => changes);
    expect(members).toEqual([
      [{ field: 'members', added: [], removed: [one.id] }],
      [{ field: 'members', added: [other.id], removed: [] }],
    ]);
  });

  it('belongs to the last of two who prove it at the same moment for the first time', async () => {
    // Who makes the autogroup would hold the other one up.
    await prove(await member());
    const [one, other] = [await member(), await member()];
    const client = voice.world.connect(await nicknameFor(one));
    const nickname = await nicknameFor(other);
    let last: Promise<unknown> | undefined;
    const first = () => complete(one.jwt);
    await meanwhile(app, 'lock table group_members in share mode', [], first, async (lock) => {
      client.nickname = nickname;
      last = complete(other.jwt);
      await untilBehind(lock, 2);
    });
    expect(await last).toMatchObject({ status: 201 });
    expect([await identityOf(one.id), await identityOf(other.id)]).toEqual([
      undefined,
      client.clientDatabaseId,
    ]);
    expect([await isInVoiceGroup(one.id), await isInVoiceGroup(other.id)]).toEqual([false, true]);
    expect(await unboundOf(one.id)).toEqual([client.clientDatabaseId]);
  });

  it('D91: that one user takes from another who is deleted at the same moment is told once', async () => {
    const [one, other] = [await member(), await member()];
    const identity = await prove(one);
    voice.world.connect(await nicknameFor(other), { clientDatabaseId: identity });
    const membership = 'select from group_members where character_id = $1 for update';
    const events = await eventsOf(app.db, async () => {
      let deleted: Promise<unknown> | undefined;
      const take = () => complete(other.jwt);
      await meanwhile(app, membership, [one.id], take, async (lock) => {
        deleted = ok(app.client(app.root).user.delete({ params: { character_id: one.id } }));
        await untilBehind(lock, 2);
      });
      await deleted;
    });
    expect(events.map(({ type }) => type)).toContain('user.deleted');
    expect(misfits(events)).toEqual([]);
    expect(await unboundOf(one.id)).toEqual([identity]);
  });

  it('D91: so it is where that one proved it only after it was looked whose it is', async () => {
    const [one, other] = [await member(), await member()];
    const { clientDatabaseId: identity } = voice.world.connect(await nicknameFor(other));
    const holder = new pg.Client({ connectionString: app.databaseUrl });
    await holder.connect();
    try {
      const events = await eventsOf(app.db, async () => {
        let taken: Promise<unknown> | undefined;
        const token = 'select from tokens where uuid = $1 for update';
        const take = () => {
          taken = complete(other.jwt);
          return Promise.race([taken, untilBehind(holder, 1)]);
        };
        await meanwhile(app, token, [uuidOf(other.jwt)], take, async () => {
          await prove(one, identity);
          await holder.query('begin');
          await holder.query('select from group_members where character_id = $1 for update', [one.id]);
        });
        const deleted = ok(app.client(app.root).user.delete({ params: { character_id: one.id } }));
        await untilBehind(holder, 2);
        await holder.query('commit');
        await Promise.all([taken, deleted]);
      });
      expect(events.map(({ type }) => type)).toContain('user.deleted');
      expect(misfits(events)).toEqual([]);
      expect(await unboundOf(one.id)).toEqual([identity]);
    } finally {
      await holder.end();
    }
  });

  it('each user has one: a new one replaces the former, which is stored as unbound', async () => {
    const somebody = await member();
    const former = await prove(somebody);
    const present = await prove(somebody);
    expect(await identityOf(somebody.id)).toBe(present);
    const rows = app.db.selectFrom('voice_identities').select('character_id');
    expect(await rows.where('client_database_id', '=', former).execute()).toEqual([{ character_id: null }]);
    expect(await isInVoiceGroup(somebody.id)).toBe(true);
    expect(await unboundOf(somebody.id)).toEqual([former]);
  });

  it('D3c: takes its caller’s turn when the voice server has answered', async () => {
    const somebody = await member();
    voice.world.connect(await nicknameFor(somebody));
    const before = voice.connections;
    let answered = false;
    const inLine = vi.spyOn(app.app.services.lines, 'callers').mockImplementation((_, admission, work) => {
      answered = voice.connections > before;
      return work(admission);
    });
    const { status } = await complete(somebody.jwt);
    expect(inLine.mock.calls.map(([caller]) => caller)).toEqual([String(somebody.id)]);
    inLine.mockRestore();
    expect({ status, answered }).toEqual({ status: 201, answered: true });
  });

  it('many users prove theirs concurrently over few connections, each its own', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, member));
    const before = voice.connections;
    const clients = await Promise.all(
      people.map(async (person) => voice.world.connect(await nicknameFor(person))),
    );
    const answers = await Promise.all(people.map(({ jwt }) => complete(jwt)));
    expect(answers.map(({ status }) => status)).toEqual(people.map(() => 201));
    expect(await Promise.all(people.map(({ id }) => identityOf(id)))).toEqual(
      clients.map(({ clientDatabaseId }) => clientDatabaseId),
    );
    // Which of them share a connection depends on timing, but there is never one for each.
    expect(voice.connections - before).toBeLessThan(people.length);
  });

  it('is deleted with the user (D19b)', async () => {
    const somebody = await member();
    const identity = await prove(somebody);
    await nicknameFor(somebody);
    expect((await app.client(app.root).user.delete({ params: { character_id: somebody.id } })).status).toBe(
      200,
    );
    const rows = app.db.selectFrom('voice_identities').select('character_id');
    expect(await rows.where('client_database_id', '=', identity).execute()).toEqual([{ character_id: null }]);
    const challenges = app.db.selectFrom('voice_challenges').selectAll();
    expect(await challenges.where('character_id', '=', somebody.id).execute()).toEqual([]);
    expect(await unboundOf(somebody.id)).toEqual([identity]);
  });

  it('is unbound when the character gets another owner, who has to prove it again (D29b)', async () => {
    const pilot = 2_112_000_023;
    await letIn(app, { alliances: [99_000_001] });
    const { token } = await app.signIn(pilot);
    const somebody = { id: pilot, uuid: '', jwt: token, name: '' };
    const identity = await prove(somebody);
    expect(await identityOf(pilot)).toBe(identity);
    await nicknameFor(somebody);
    app.provider.world.handOver(pilot);
    const { token: fresh } = await app.signIn(pilot);
    expect(await identityOf(pilot)).toBeUndefined();
    expect(await isInVoiceGroup(pilot)).toBe(false);
    expect(await complete(fresh)).toMatchObject(NO_CHALLENGE);
  });

  /** An OpenID Connect session of this character. */
  const addSession = ({ id }: Somebody) =>
    app.db
      .insertInto('oidc_artifacts')
      .values({
        ...{ model: 'Session', id_hash: `session of ${id}`, payload: JSON.stringify({}) },
        ...{ character_id: id, expires_on: new Date(app.clock.now().getTime() + 3_600_000) },
      } as never)
      .execute();

  it('D84: a user that the autogroup bars loses its session in the same transaction', async () => {
    const [first, second] = [await member(), await member()];
    await prove(first);
    await addSession(second);
    const params = { group_id: (await voiceGroup()).group_id };
    const letsIn = (authorized_to_login: boolean) =>
      ok(app.client(app.root).group.update({ params, body: { authorized_to_login } }));
    await letsIn(false);
    const client = voice.world.connect(await nicknameFor(second));
    expect(client.clientDatabaseId).toBeGreaterThan(0);
    expect((await complete(second.jwt)).status).toBe(201);
    const left = await app.db
      .selectFrom('oidc_artifacts')
      .select('model')
      .where('character_id', '=', second.id)
      .execute();
    expect(left).toEqual([]);
    await app.db
      .updateTable('groups')
      .set({ authorized_to_login: null })
      .where('group_id', '=', params.group_id)
      .execute();
  });

  it('D14: a user whose token expires during the request to the voice server gets no identity', async () => {
    const somebody = await member();
    voice.world.connect(await nicknameFor(somebody));
    let expired: Promise<unknown> | undefined;
    voice.strike = ({ at }) => {
      if (at !== 'clientlist') return undefined;
      expired = app.db
        .updateTable('tokens')
        .set({ expires_on: app.clock.now() })
        .where('uuid', '=', uuidOf(somebody.jwt))
        .execute();
      return { kind: 'drip', everyMillis: 1 };
    };
    expect(await complete(somebody.jwt)).toMatchObject({ status: 401, body: { code: 'token_expired' } });
    await expired;
    expect(await identityOf(somebody.id)).toBeUndefined();
  });

  it('a user who is deleted during the request to the voice server gets no identity', async () => {
    const somebody = await member();
    voice.world.connect(await nicknameFor(somebody));
    let deleted: Promise<unknown> | undefined;
    voice.strike = ({ at }) => {
      if (at === 'clientlist') {
        // Sent directly, because the SDK would first fetch its token.
        deleted = send(app, 'DELETE', `/user/${somebody.id}`, { token: app.root });
        return { kind: 'drip', everyMillis: 1 };
      }
      return undefined;
    };
    const { status } = await complete(somebody.jwt);
    await deleted;
    expect([401, 404]).toContain(status);
    expect(await identityOf(somebody.id)).toBeUndefined();
  });
});

describe('D42: the voice server', () => {
  it('two clients with the nickname count as none', async () => {
    const somebody = await member();
    const nickname = await nicknameFor(somebody);
    voice.world.connect(nickname);
    const second = voice.world.connect(nickname);
    expect(await complete(somebody.jwt)).toMatchObject(NO_CLIENT);
    second.nickname = 'Somebody else';
    expect(await complete(somebody.jwt)).toMatchObject({ status: 201 });
  });

  it('a query client with the nickname does not count', async () => {
    const somebody = await member();
    const nickname = await nicknameFor(somebody);
    voice.world.connect(nickname, { isVoice: false });
    expect(await complete(somebody.jwt)).toMatchObject(NO_CLIENT);
    voice.world.connect(nickname);
    expect(await complete(somebody.jwt)).toMatchObject({ status: 201 });
  });

  it('a client with the nickname and without an identity does not count', async () => {
    const somebody = await member();
    voice.world.connect(await nicknameFor(somebody), { clientDatabaseId: 0 });
    expect(await complete(somebody.jwt)).toMatchObject(NO_CLIENT);
    expect((await app.client(app.root).crash.list()).body).toEqual([]);
  });

  it('the nickname must match exactly', async () => {
    const somebody = await member();
    const nickname = await nicknameFor(somebody);
    voice.world.connect(nickname.toLowerCase());
    voice.world.connect(`${nickname} `);
    expect(await complete(somebody.jwt)).toMatchObject(NO_CLIENT);
  });

  it('unusual nicknames of others do not interfere', async () => {
    const somebody = await member();
    for (const nickname of ['a|b c=d\\s/', '\\', ' error id=0 msg=ok', 'ü😀\t\n\r'])
      voice.world.connect(nickname);
    await prove(somebody);
  });

  it('every connection is closed', async () => {
    const somebody = await member();
    await prove(somebody);
    await nicknameFor(somebody);
    await complete(somebody.jwt);
    await expect.poll(() => voice.open).toBe(0);
    expect(voice.commands.at(-1)).toBe('quit');
  });

  it('without a challenge it gets no request', async () => {
    const before = voice.connections;
    expect(await complete((await member()).jwt)).toMatchObject(NO_CHALLENGE);
    expect(voice.connections).toBe(before);
  });
});

describe('D42: without a voice server', () => {
  it('both operations are 404 with a detail that says so', async () => {
    const other = await startTestApp();
    try {
      for (const operation of ['start', 'complete'] as const) {
        expect(await other.client(other.root).voice[operation]()).toMatchObject({
          status: 404,
          body: { detail: 'No voice server is configured.', code: 'voice_not_configured' },
        });
      }
    } finally {
      await other.stop();
    }
  });

  it('one that cannot be reached is a 502; the challenge stays', async () => {
    const gone = await startSimulatedVoiceServer();
    await gone.stop();
    const other = await startTestApp({ env: { VOICE_URL: gone.url } });
    try {
      await addHome(other);
      const { jwt: token } = await addMember(other, ++lastId);
      expect((await other.client(token).voice.start()).status).toBe(200);
      expect(await other.client(token).voice.complete()).toMatchObject({
        status: 502,
        body: {
          detail: 'The voice server cannot be reached or gave an answer that cannot be used.',
          code: 'voice_server_unavailable',
        },
      });
      expect(other.logged.join('')).not.toContain('simulated@');
    } finally {
      await other.stop();
    }
  });
});

describe('D18b: the voice autogroup', () => {
  it('is found by its mark: it gets the name in the setting, with a suffix if another group has that name', async () => {
    const shared = await startSimulatedVoiceServer();
    const other = await startTestApp({ env: { VOICE_URL: shared.url } });
    const ensure = async (name: string) => {
      const group_id = await other.db
        .transaction()
        .execute((tx) => ensureVoiceGroup(tx, name, other.clock.now()));
      const { group_name } = await other.db
        .selectFrom('groups')
        .select('group_name')
        .where('group_id', '=', group_id)
        .executeTakeFirstOrThrow();
      return { group_id, group_name };
    };
    try {
      const handMade = { group_id: 'e1'.repeat(12), group_name: 'VOICE', name_key: nameKey('VOICE') };
      await other.db
        .insertInto('groups')
        .values({ ...handMade, authorized_to_login: null })
        .execute();
      const first = await ensure('Voice');
      expect(first.group_name).toBe('Voice (voice)');
      expect(await ensure('Voice')).toEqual(first);
      expect(await ensure('Radio')).toEqual({ ...first, group_name: 'Radio' });
      const renamed = (await allEvents(other.db)).filter(({ type }) => type === 'group.updated');
      expect(renamed.map(({ changes }) => changes)).toEqual([
        [{ field: 'group_name', before: 'Voice (voice)', after: 'Radio' }],
      ]);
    } finally {
      await other.stop();
      await shared.stop();
    }
  });
});

describe('access', () => {
  it('D18b: a user that becomes a guest is no longer shown in the autogroup', async () => {
    const somebody = await member();
    await prove(somebody);
    await setLevel(app, somebody.id, -1);
    expect(await isInVoiceGroup(somebody.id)).toBe(false);
  });

  it('D27: a user that becomes a guest is not shut out by the autogroup, of which it is no member', async () => {
    const somebody = await member();
    await prove(somebody);
    const { group_id } = await voiceGroup();
    const forbids = app.db.updateTable('groups').set({ authorized_to_login: false });
    await forbids.where('group_id', '=', group_id).execute();
    const why = async () => {
      const query = { about: 'login' };
      const { answer, facts } = await ok(
        app.client(app.root).user.why({ params: { character: String(somebody.id) }, query }),
      );
      return { answer, named: JSON.stringify(facts).includes(group_id) };
    };
    expect(await why()).toEqual({ answer: 'no', named: true });
    await setLevel(app, somebody.id, -1);
    expect(await why()).toEqual({ answer: 'yes', named: false });
    const silent = app.db.updateTable('groups').set({ authorized_to_login: null });
    await silent.where('group_id', '=', group_id).execute();
  });

  it('D15: level 0 and above; a guest may not', async () => {
    const guest = await addMember(app, ++lastId, -1);
    expect((await start(guest.jwt)).status).toBe(403);
    expect((await complete(guest.jwt)).status).toBe(403);
  });
});

describe('the built-in user', () => {
  const REFUSED = {
    status: 403,
    body: {
      detail: 'Insufficient clearance level: a token that stands for somebody else has no voice identity.',
    },
  };
  /** A user token of the built-in user whose sponsor is a member of level 10. */
  async function sponsored() {
    const sponsor = await addMember(app, ++lastId, 10);
    const per = await makeToken(app, 'per', sponsor.id, uuidOf(app.root));
    return (await ok(app.client(per.jwt).token.createUserToken())).user_token;
  }

  it('D40, D41: its own tokens start and complete a challenge for it', async () => {
    expect(await complete(app.root)).toMatchObject({
      status: 404,
      body: { detail: 'Could not find challenge for user' },
    });
    const started = await ok(app.client(app.root).voice.start());
    expect(started.user).toEqual({ character_id: 0, character_name: '(built-in)' });
    voice.world.connect(started.challenge_nickname);
    expect((await complete(app.root)).status).toBe(201);
    voice.world.clients.splice(0);
    const identity = await identityOf(0);
    expect(identity).toBeDefined();
    // The built-in user is never locked, and loses it nevertheless.
    await prove(await member(), identity);
    expect(await identityOf(0)).toBeUndefined();
  });

  it('D23: a token with another sponsor starts and completes none', async () => {
    const user_token = await sponsored();
    expect(await start(user_token)).toMatchObject(REFUSED);
    expect(await complete(user_token)).toMatchObject(REFUSED);
    const challenges = app.db.selectFrom('voice_challenges').select('character_id');
    expect(await challenges.where('character_id', '=', 0).execute()).toEqual([]);
  });

  it('D23: nor does one take an identity by a challenge that was started before', async () => {
    const nickname = 'A'.repeat(20);
    const expires_on = new Date(app.clock.now().getTime() + 60_000);
    await app.db.insertInto('voice_challenges').values({ character_id: 0, nickname, expires_on }).execute();
    voice.world.connect(nickname);
    expect(await complete(await sponsored())).toMatchObject(REFUSED);
    expect(await identityOf(0)).toBeUndefined();
  });
});

it('the SQL of docs/voice.md forgets everybody of the former voice server, and nothing else', async () => {
  const somebody = await member();
  const identity = await prove(somebody);
  const [, statements = ''] = /```sql\n([^`]+)```/.exec(readFileSync('docs/voice.md', 'utf8')) ?? [];
  const psql = new pg.Client({ connectionString: app.databaseUrl });
  await psql.connect();
  await psql.query(statements).finally(() => psql.end());
  expect(await identityOf(somebody.id)).toBeUndefined();
  expect(await isInVoiceGroup(somebody.id)).toBe(false);
  // The identity is anybody's again, as another server may count its clients alike.
  const other = await member();
  expect(await prove(other, identity)).toBe(identity);
  expect(await isInVoiceGroup(other.id)).toBe(true);
});
