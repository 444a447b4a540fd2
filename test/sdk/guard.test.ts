import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CastellanError } from '../../sdk/src/index.ts';
import { createGuard, type GuardOptions } from '../../sdk/src/server.ts';
import { addHome, addMember, makeToken, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';

const ADA = 2_193_000_001;

let app: TestApp;
let asked = 0;
/** Of the application that the guard stands in, of another one, and what each led Ada to. */
let own: string;
let tokens: Readonly<Record<'own' | 'other', string>>;

beforeAll(async () => {
  app = await startTestApp();
  await addHome(app);
  await addMember(app, ADA, 2);
  own = await app.dynamicToken();
  const other = await app.dynamicToken();
  tokens = {
    own: (await makeToken(app, 'use', ADA, uuidOf(own))).jwt,
    other: (await makeToken(app, 'use', ADA, uuidOf(other))).jwt,
  };
});
afterAll(() => app.stop());

const guard = (options: Partial<GuardOptions> = {}) =>
  createGuard({
    baseUrl: app.url,
    appToken: own,
    fetch: (...given) => {
      asked += 1;
      return fetch(...given);
    },
    ...options,
  });

const refusal = async (check: Promise<unknown>) => {
  const error = await check.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(CastellanError);
  return (error as CastellanError).status;
};

describe('D20: a guard lets in the user tokens of its own application', () => {
  it('by the token of the application, or by its uuid', async () => {
    for (const appToken of [own, uuidOf(own), uuidOf(own).toUpperCase()]) {
      const { owner } = await guard({ appToken }).check(`Bearer ${tokens.own}`, { level: 2 });
      expect(owner.character_id).toBe(ADA);
    }
    expect(await refusal(guard().check(`Bearer ${tokens.own}`, { level: 3 }))).toBe(403);
  });

  it('no token of another application, of which the service is not even asked', async () => {
    const before = asked;
    expect(await refusal(guard().check(`Bearer ${tokens.other}`))).toBe(401);
    expect(asked).toBe(before);
  });

  it('no token that only says that it is of this application', async () => {
    const [header, , signature] = tokens.other.split('.');
    const [, payload] = tokens.own.split('.');
    expect(await refusal(guard().check(`Bearer ${header}.${payload}.${signature}`))).toBe(401);
  });

  it('no application token, its own neither: whoever has that is no user', async () => {
    const permanent = await makeToken(app, 'per', ADA, uuidOf(app.root));
    for (const appToken of [own, permanent.jwt]) {
      expect(await refusal(guard({ appToken }).check(`Bearer ${appToken}`))).toBe(401);
    }
  });

  it('what a permanent token makes of itself counts as its own', async () => {
    const { jwt } = await makeToken(app, 'per', ADA, uuidOf(app.root));
    const made = await app.client(jwt).token.createUserToken();
    const user = made.status === 200 ? made.body.user_token : '';
    expect((await guard({ appToken: jwt }).check(`Bearer ${user}`)).token_type).toBe('use');
    expect(await refusal(guard().check(`Bearer ${user}`))).toBe(401);
  });

  it('and it does not work without knowing its application', () => {
    // @ts-expect-error: the application is required.
    expect(() => createGuard({ baseUrl: app.url })).toThrow(TypeError);
    expect(() => guard({ appToken: 'wiki' })).toThrow(TypeError);
  });
});
