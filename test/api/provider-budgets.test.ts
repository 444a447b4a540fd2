import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rootToken } from '../../server/token/root-token.ts';
import { letIn } from '../fixtures/registry.ts';
import { addHome, addMember, type MadeToken, makeToken, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { forgetProvider, stayInTheMinute } from '../harness/provider.ts';

/** Ids of corporations that do not exist; each request causes an error of the provider. */
let nowhere = 98_900_000;
const ADA = 2_190_000_001;
const BEN = 2_190_000_002;
const EIGHT = 2_190_000_008;

let app: TestApp;
let ada: MadeToken;
let ben: MadeToken;

beforeAll(async () => {
  app = await startTestApp();
  await app.app.services.document.current();
  await addHome(app);
  ada = await addMember(app, ADA);
  ben = await addMember(app, BEN);
});
beforeEach(async () => {
  app.provider.reset();
  await forgetProvider(app);
  stayInTheMinute(app);
});
afterAll(() => app.stop());

const forwardErrors = async (tokens: readonly string[], times: number) => {
  const statuses: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const token = tokens[n % tokens.length];
    const params = { esi_path: `corporations/${nowhere++}` };
    statuses.push((await app.client(token).ext.forward({ params })).status);
  }
  return statuses;
};
const registerErrors = async (
  token: string,
  times: number,
  kind: 'alliance' | 'corporation' = 'corporation',
) => {
  const { alliance, corporation } = app.client(token);
  const statuses: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const { status } =
      kind === 'alliance'
        ? await alliance.register({ params: { alliance_id: nowhere++ } })
        : await corporation.register({ params: { corporation_id: nowhere++ } });
    statuses.push(status);
  }
  return statuses;
};
const of = (status: number, times: number) => Array.from({ length: times }, () => status);
/** A user token of the built-in user, made from a permanent token (D23). */
const userToken = async (per: string) => (await makeToken(app, 'use', 0, uuidOf(per))).jwt;

describe('D33b: errors of the provider are charged to the caller that caused them', () => {
  it('a permanent token of the built-in user and the user tokens made from it share 20 errors', async () => {
    const tokens = [app.root, await userToken(app.root), await userToken(app.root)];
    expect(await forwardErrors(tokens, 25)).toEqual([...of(404, 20), ...of(429, 5)]);
  });

  it('another application of the built-in user has its own', async () => {
    await forwardErrors([app.root], 20);
    expect(await forwardErrors([await userToken(app.root)], 1)).toEqual([429]);
    const other = await makeToken(app, 'per', 0, uuidOf(app.root));
    const its = await userToken(other.jwt);
    expect(await forwardErrors([other.jwt, its], 22)).toEqual([...of(404, 20), ...of(429, 2)]);
  });

  it('user tokens made from a user’s permanent token are charged to that user', async () => {
    const own = await rootToken(app.app.services, ADA);
    expect(await forwardErrors([await userToken(own), ada.jwt, own], 21)).toEqual([...of(404, 20), 429]);
    expect(await forwardErrors([ben.jwt], 1)).toEqual([404]);
  });

  it.each(['corporation', 'alliance'] as const)(
    'registrations of a %s to their caller: 20 a minute',
    async (kind) => {
      const eight = await addMember(app, kind === 'corporation' ? EIGHT : EIGHT + 1, 8);
      expect(await registerErrors(eight.jwt, 22, kind)).toEqual([...of(404, 20), 429, 429]);
      expect(await forwardErrors([eight.jwt], 1)).toEqual([429]);
      expect(await registerErrors(app.root, 1, kind)).toEqual([404]);
      app.clock.advance(60_000);
      expect(await registerErrors(eight.jwt, 1, kind)).toEqual([404]);
    },
  );

  it('they do not use up what is reserved for sign-in and jobs', async () => {
    const { world } = app.provider;
    const [alliance] = world.alliances.map(({ id }) => id);
    await letIn(app, { alliances: [alliance ?? 0] });
    const [somebody = 0] = world.membersOf(world.corporationsOf(alliance ?? 0)[0] ?? 0);
    app.provider.setErrorLimit({ remaining: 33 });
    const root = [await userToken(app.root), app.root];
    expect(await forwardErrors(root, 1)).toEqual([404]);
    expect(await registerErrors(app.root, 4)).toEqual([404, 404, 503, 503]);
    expect(await forwardErrors(root, 2)).toEqual([503, 503]);
    expect((await app.signIn(somebody)).user.character_id).toBe(somebody);
  });
});
