import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rootToken } from '../../server/token/root-token.ts';
import { letIn, setLevel } from '../fixtures/registry.ts';
import { addHome, addMember, addUser, claimsOf, HOME, makeToken, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { INSUFFICIENT } from '../harness/refusals.ts';

let app: TestApp;
let lastId = 2_120_000_000;

beforeAll(async () => {
  app = await startTestApp();
  await addHome(app);
});
afterAll(() => app.stop());

const FORBIDDEN = { status: 403, body: { detail: INSUFFICIENT } };

function member(level = 0) {
  lastId += 1;
  return addMember(app, lastId, level);
}

/** A permanent token of a new user. */
async function permanent(level: number) {
  const { id } = await member(level);
  const jwt = await rootToken(app.app.services, id);
  return { id, jwt, uuid: uuidOf(jwt), client: app.client(jwt) };
}

async function userTokenOf(per: string): Promise<string> {
  const answer = await app.client(per).token.createUserToken();
  if (answer.status !== 200) throw new Error(`no user token: ${answer.status}`);
  return answer.body.user_token;
}

async function works(jwt: string): Promise<boolean> {
  const { status } = await app.client(jwt).user.list();
  if (status !== 200 && status !== 401) throw new Error(`GET /user answers ${status}`);
  return status === 200;
}

describe('Token rules 4 and 5, D23: a user token from a permanent app token', () => {
  it('any token that is not per is a 401 with a message of its own', async () => {
    const dyn = await makeToken(app, 'dyn', 0, uuidOf(app.root));
    const guest = await member();
    await setLevel(app, guest.id, -1);
    for (const token of [dyn.jwt, (await member(10)).jwt, guest.jwt]) {
      expect(await app.client(token).token.createUserToken()).toMatchObject({
        status: 401,
        body: { detail: 'Must use a permanent app token for this path.', code: 'token_type_refused' },
      });
    }
  });

  it('a permanent token whose owner is below level 0 is a 403', async () => {
    const per = await permanent(0);
    await setLevel(app, per.id, -1);
    expect(await app.client(per.jwt).token.createUserToken()).toMatchObject(FORBIDDEN);
  });

  it('the owner is the built-in user, the parent the permanent token', async () => {
    const per = await permanent(3);
    const jwt = await userTokenOf(per.jwt);
    expect(claimsOf(jwt)).toMatchObject({ sub: '0', typ: 'use', azp: per.uuid });
    expect(await app.client(jwt).token.current()).toMatchObject({
      status: 200,
      body: {
        token_type: 'use',
        parent: per.uuid,
        callback: null,
        owner: { character_id: 0, character_name: '(built-in)', clearance_level: 3 },
      },
    });
  });

  it("its level follows the present level of the permanent token's owner, down and up", async () => {
    const per = await permanent(10);
    const jwt = await userTokenOf(per.jwt);
    const configuration = async () => (await app.client(jwt).system.configuration()).status;
    expect(await configuration()).toBe(200);
    await setLevel(app, per.id, 9);
    expect(await configuration()).toBe(403);
    expect(await app.client(jwt).token.current()).toMatchObject({ body: { owner: { clearance_level: 9 } } });
    await setLevel(app, per.id, -1);
    expect((await app.client(jwt).user.list()).status).toBe(403);
    await setLevel(app, per.id, 10);
    expect(await configuration()).toBe(200);
  });

  it('the limit applies to setting levels, too: nobody is raised above the owner of the permanent token', async () => {
    const per = await permanent(9);
    const jwt = await userTokenOf(per.jwt);
    const other = await member(0);
    const raise = (clearance_level: number) =>
      app.client(jwt).user.update({ params: { character_id: other.id }, body: { clearance_level } });
    expect(await raise(10)).toMatchObject({ status: 403 });
    expect(await raise(9)).toMatchObject({ status: 200, body: { clearance_level: 9 } });
  });

  it('deleting that owner deletes it; the built-in user stays', async () => {
    const per = await permanent(5);
    const jwt = await userTokenOf(per.jwt);
    expect(await works(jwt)).toBe(true);
    expect(await app.client(app.root).user.delete({ params: { character_id: per.id } })).toMatchObject({
      status: 200,
    });
    expect(await works(jwt)).toBe(false);
    expect(await works(per.jwt)).toBe(false);
    expect(await works(app.root)).toBe(true);
  });
});

describe('D22: lifetimes', () => {
  const HOUR = 3_600_000;

  it('a user token from a dyn token lasts 24 hours, from a per token 48, app tokens for ever', async () => {
    const fresh = await startTestApp();
    try {
      const { corporationId } = fresh.provider.world.character(2_112_000_001) ?? {};
      await letIn(fresh, { corporations: [corporationId as number] });
      const dyn = await fresh.dynamicToken();
      const signedIn = await fresh.signIn(2_112_000_001, { dyn });
      const made = await fresh.client(fresh.root).token.createUserToken();
      if (made.status !== 200) throw new Error('no user token');
      const fromPer = made.body.user_token;
      // Not used before it expires, so that its signature is not cached.
      const unused = await fresh.signIn(2_112_000_001, { dyn });
      const lastsFor = async (token: string) => {
        const answer = await fresh.client(token).token.current();
        if (answer.status !== 200) throw new Error('the token does not work');
        return Date.parse(answer.body.expires_on ?? '') - Date.parse(answer.body.created_on);
      };
      const status = async (token: string) => (await fresh.client(token).token.current()).status;

      expect([await lastsFor(signedIn.token), await lastsFor(fromPer)]).toEqual([24 * HOUR, 48 * HOUR]);
      fresh.clock.advance(24 * HOUR - 5_000);
      expect([await status(signedIn.token), await status(fromPer)]).toEqual([200, 200]);
      fresh.clock.advance(5_000);
      for (const token of [signedIn.token, unused.token]) {
        expect(await fresh.client(token).token.current()).toMatchObject({
          status: 401,
          body: { detail: 'The token has expired.', code: 'token_expired' },
        });
      }
      fresh.clock.advance(24 * HOUR - 10_000);
      expect(await status(fromPer)).toBe(200);
      fresh.clock.advance(10_000);
      expect(await status(fromPer)).toBe(401);
      fresh.clock.advance(10 * 365 * 24 * HOUR);
      expect(await status(fresh.root)).toBe(200);
      expect((await fresh.client(dyn).token.startLogin()).status).toBe(200);
    } finally {
      await fresh.stop();
    }
  });
});

describe('Must show 8: deleting a token while 32 clients use it', () => {
  it('no request that was sent after the answer to the deletion succeeds', async () => {
    const { jwt, uuid } = await member();
    let deletedAt = Number.POSITIVE_INFINITY;
    const outcomes: { began: number; status: number }[] = [];
    const client = async () => {
      for (let after = 0; after < 5; ) {
        const began = performance.now();
        const { status } = await app.client(jwt).token.current();
        outcomes.push({ began, status });
        if (began > deletedAt) after += 1;
      }
    };
    const clients = Array.from({ length: 32 }, client);
    while (outcomes.filter(({ status }) => status === 200).length < 200) await new Promise(setImmediate);
    expect((await app.client(app.root).token.delete({ query: { uuid } })).status).toBe(200);
    deletedAt = performance.now();
    await Promise.all(clients);
    const later = outcomes.filter(({ began }) => began > deletedAt);
    expect(later.length).toBeGreaterThanOrEqual(32 * 5);
    expect(new Set(later.map(({ status }) => status))).toEqual(new Set([401]));
  });
});

describe('owners', () => {
  it('a user that is deleted directly in the database: its token is deleted with it', async () => {
    lastId += 1;
    await addUser(app, { id: lastId, corporation: HOME.corporation });
    const { jwt } = await makeToken(app, 'per', lastId);
    await app.db.deleteFrom('users').where('character_id', '=', lastId).execute();
    expect(await works(jwt)).toBe(false);
  });
});
