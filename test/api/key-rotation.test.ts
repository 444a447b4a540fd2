import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createClient, ok } from '../../sdk/src/index.ts';
import { createApi } from '../../server/api.ts';
import { type App, createApp } from '../../server/app.ts';
import { listen } from '../../server/http/listen.ts';
import type { JwkSet } from '../../server/keys/formats.ts';
import { createLog } from '../../server/observability/log.ts';
import { rootToken } from '../../server/token/root-token.ts';
import { makeToken, uuidOf } from '../fixtures/users.ts';
import { newSigningKey, startTestApp, type TestApp } from '../harness/app.ts';
import { send } from '../harness/send.ts';

type Key = JwkSet['keys'][number];

let app: TestApp;
let old: Key;
let fresh: Key;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  old = (await newSigningKey()) as Key;
  fresh = (await newSigningKey()) as Key;
  app = await startTestApp({ env: { TOKEN_SIGNING_KEYS: JSON.stringify({ keys: [old] }) } });
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(() => app.stop());

function publicHalf({ d: _, ...key }: Key): Key {
  return key;
}

function kidOf(jwt: string): string {
  return JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString()).kid;
}

/** Another instance of the service on the same database with other keys. */
async function start(
  keys: Key[],
  forceKeyRemoval = false,
  log = createLog('silent'),
): Promise<{ app: App; url: string }> {
  const settings = { ...app.app.services.settings, tokenSigningKeys: { keys }, forceKeyRemoval };
  const other = await createApp(settings, { log, clock: app.clock, worker: false });
  closers.push(() => other.close());
  const http = await listen(createApi(other.services), '127.0.0.1', 0);
  closers.push(() => http.stop(1_000));
  return { app: other, url: `http://127.0.0.1:${http.port}` };
}

const caller = (baseUrl: string, token: string) => createClient({ baseUrl, token, retries: 0 });

async function works(url: string, token: string): Promise<boolean> {
  return (await caller(url, token).token.current()).status === 200;
}

describe('D20b: rotation of the signing keys', () => {
  it('with the new key first, both verify, and new tokens are signed with the new one', async () => {
    const before = await makeToken(app, 'per', 0, uuidOf(app.root));
    const { app: rotated, url } = await start([fresh, old]);
    expect(await works(url, before.jwt)).toBe(true);
    expect(await works(url, app.root)).toBe(true);
    const { user_token } = await ok(caller(url, app.root).token.createUserToken());
    expect(kidOf(user_token)).toBe(fresh.kid);
    expect(await works(url, user_token)).toBe(true);
    // An instance without the new key refuses its tokens with a clear message.
    expect(await app.client(user_token).token.current()).toMatchObject({
      status: 401,
      body: { detail: `The token was signed with an unknown key (kid ${fresh.kid}).`, code: 'token_invalid' },
    });
    // A token is printed unchanged as long as its key can sign.
    expect(kidOf(await rootToken(rotated.services, 0))).toBe(old.kid);
    await app.db.deleteFrom('tokens').where('kid', '=', fresh.kid).execute();
  });

  it('in two steps, no process receives a token with an unknown key', async () => {
    const made: string[] = [];
    const makeOne = async ({ url }: { url: string }) => {
      const { user_token } = await ok(caller(url, app.root).token.createUserToken());
      made.push(user_token);
    };
    // Two processes are restarted one after the other: first with the new key added last, then with it first.
    let processes = [await start([old]), await start([old])];
    for (const keys of [
      [old, fresh],
      [fresh, old],
    ]) {
      for (const index of [0, 1]) {
        processes = processes.with(index, await start(keys));
        for (const each of processes) await makeOne(each);
        for (const { url } of processes) {
          for (const token of made) expect(await works(url, token)).toBe(true);
        }
      }
    }
    expect(new Set(made.map(kidOf))).toEqual(new Set([old.kid, fresh.kid]));
    await app.db.deleteFrom('tokens').where('kid', '=', fresh.kid).execute();
  });

  it('tokens with an unknown key are logged once a minute, however many there are', async () => {
    const { app: other } = await start([fresh, old]);
    const tokens = await Promise.all(
      Array.from({ length: 20 }, () =>
        other.services.keys.sign({
          ...{ uuid: randomUUID(), app_token: randomUUID(), owner_id: 0, token_type: 'per' },
          ...{ kid: fresh.kid, created_on: app.clock.now(), expires_on: null },
        }),
      ),
    );
    const lines: string[] = [];
    const replica = await start([old], false, createLog('warn', { write: (line) => lines.push(line) }));
    for (const token of tokens) expect(await works(replica.url, token)).toBe(false);
    expect(
      lines.filter((line) => line.includes('TOKEN_SIGNING_KEYS')).map((line) => JSON.parse(line)),
    ).toEqual([expect.objectContaining({ level: 'warn', kid: fresh.kid, untold: 0 })]);
  });

  it('a key without its private half verifies, and is published like the others', async () => {
    const { url } = await start([publicHalf(old), fresh]);
    expect(await works(url, app.root)).toBe(true);
    const { json } = await send<{ keys: { kid: string }[] }>({ url }, 'GET', '/.well-known/jwks.json');
    expect(json.keys.map(({ kid }) => kid).sort()).toEqual([old.kid, fresh.kid].sort());
    expect(JSON.stringify(json)).not.toContain('"d"');
  });

  it('the start is refused when a key of unexpired tokens was removed, with a list of them', async () => {
    const dyn = await makeToken(app, 'dyn', 0, uuidOf(app.root));
    const use = await makeToken(app, 'use', 0, dyn.uuid);
    const refusal = await start([fresh]).catch((error: Error) => error);
    expect(refusal).toMatchObject({ name: 'KeysRemoved' });
    const { message } = refusal as Error;
    expect(message).toContain(`per ${uuidOf(app.root)} (key ${old.kid})`);
    expect(message).toContain(`dyn ${dyn.uuid} (key ${old.kid})`);
    expect(message).toContain(`use ${use.uuid} (key ${old.kid})`);
    for (const { jwt } of [dyn, use]) expect(message).not.toContain(jwt.split('.')[1]);
  });

  it('the keys of expired tokens are not needed', async () => {
    const signer = (await newSigningKey()) as Key;
    const { app: other } = await start([signer, old]);
    await other.services.db
      .insertInto('tokens')
      .values({
        uuid: '5a0d7c1a-2b3c-4d5e-8f60-718293a4b5c6',
        token_type: 'use',
        owner_id: 0,
        parent: uuidOf(app.root),
        app_token: uuidOf(app.root),
        kid: signer.kid,
        callback: null,
        comments: null,
        expires_on: new Date(app.clock.now().getTime() + 1_000),
      })
      .execute();
    await expect(start([old])).rejects.toThrow('5a0d7c1a');
    app.clock.advance(1_000);
    await expect(start([old])).resolves.toBeDefined();
  });

  it('FORCE_KEY_REMOVAL deletes those tokens permanently; tokens of present keys stay, and can be signed again', async () => {
    const per = await makeToken(app, 'per', 0, uuidOf(app.root));
    const { url: both } = await start([fresh, old]);
    const { tkn } = await ok(
      caller(both, app.root).token.createPermanent({ body: { callback: 'https://fleet.example/in' } }),
    );
    const { app: forced, url } = await start([fresh], true);
    expect(await caller(url, per.jwt).token.current()).toMatchObject({
      status: 401,
      body: { detail: `The token was signed with an unknown key (kid ${old.kid}).` },
    });
    expect(kidOf(tkn)).toBe(fresh.kid);
    expect(await works(url, tkn)).toBe(true);
    const printed = await rootToken(forced.services, 0);
    expect(kidOf(printed)).toBe(fresh.kid);
    expect(uuidOf(printed)).toBe(uuidOf(app.root));
    expect(await works(url, printed)).toBe(true);
    await start([fresh]);
    const { url: back } = await start([fresh, old]);
    expect(await works(back, per.jwt)).toBe(false);
    const query = { target: `token:${per.uuid}`, type: 'token.deleted' };
    expect(await ok(caller(back, printed).audit.list({ query }))).toMatchObject([
      { actor: { kind: 'job' }, reason: 'its signing key was removed' },
    ]);
  });
});
