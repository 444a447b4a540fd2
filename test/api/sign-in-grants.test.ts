import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EXT_SCOPES, type ExtScope } from '../../contract/scopes.ts';
import { grantBinding } from '../../server/grant/grant.queries.ts';
import { letIn } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { startLogin } from '../harness/sign-in.ts';

const MAIL = 'ext-mail.read_mail.v1';
const SKILLS = 'ext-skills.read_skills.v1';

describe('refresh tokens', () => {
  let app: TestApp;
  let dyn: string;
  let members: number[];
  const member = (): number => members.shift() as number;

  beforeAll(async () => {
    app = await startTestApp();
    dyn = await app.dynamicToken();
    await letIn(app, { corporations: [98_000_011] });
    members = [...app.provider.world.membersOf(98_000_011)];
  });
  afterAll(() => app.stop());

  /** Signs in and returns the tokens that the provider issued. */
  async function signInFor(id: number, scopes: ExtScope[]) {
    const exchange = vi.spyOn(app.app.services.sso, 'exchange');
    try {
      await app.signIn(id, { dyn, scopes });
      return await exchange.mock.results[0]?.value;
    } finally {
      exchange.mockRestore();
    }
  }
  const grantsOf = (id: number) =>
    app.db.selectFrom('grants').selectAll().where('character_id', '=', id).orderBy('created_on').execute();
  const open = (grant: { grant_id: string; refresh_token: Buffer }) =>
    app.app.services.vault.decrypt(grant.refresh_token, grantBinding(grant.grant_id, 'refresh_token'));

  it('D34: both tokens are stored encrypted, with the key’s id, bound to row and column', async () => {
    const id = member();
    const given = await signInFor(id, [MAIL]);
    const [grant] = await grantsOf(id);
    if (grant === undefined || grant.access_token === null) throw new Error('no grant was stored');
    const { vault } = app.app.services;
    expect(open(grant)).toBe(given.refreshToken);
    expect(vault.decrypt(grant.access_token, grantBinding(grant.grant_id, 'access_token'))).toBe(
      given.accessToken,
    );
    expect(grant.access_expires_on).toEqual(given.identity.expiresOn);
    expect(grant.refresh_token.subarray(0, 6).toString('latin1')).toBe('\x01\x04test');
    expect(grant.refresh_token.includes(given.refreshToken.slice(0, 12))).toBe(false);
    expect(() => vault.decrypt(grant.refresh_token, grantBinding(grant.grant_id, 'access_token'))).toThrow();
    const elsewhere = grantBinding('00000000-0000-4000-8000-000000000000', 'refresh_token');
    expect(() => vault.decrypt(grant.refresh_token, elsewhere)).toThrow();
    const changed = Buffer.from(grant.refresh_token);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    expect(() => vault.decrypt(changed, grantBinding(grant.grant_id, 'refresh_token'))).toThrow();
  });

  it('D34b: one refresh token per user and set of scopes, the newest, valid again', async () => {
    const id = member();
    await signInFor(id, [MAIL, SKILLS]);
    await app.db
      .updateTable('grants')
      .set({ valid: false, cause: 'invalid_grant' })
      .where('character_id', '=', id)
      .execute();
    const { refreshToken } = await signInFor(id, [SKILLS, MAIL]);
    const grants = await grantsOf(id);
    expect(grants).toMatchObject([{ scopes: [MAIL, SKILLS], valid: true, cause: null }]);
    expect(grants.map(open)).toEqual([refreshToken]);
  });

  it('D34b: signing in with fewer scopes never replaces one with more', async () => {
    const id = member();
    const { refreshToken } = await signInFor(id, [MAIL, SKILLS]);
    await signInFor(id, [SKILLS]);
    await signInFor(id, ['publicData']);
    const grants = await grantsOf(id);
    expect(grants.map(({ scopes }) => scopes)).toEqual([[MAIL, SKILLS], [SKILLS], ['publicData']]);
    expect(grants.every(({ valid }) => valid)).toBe(true);
    expect(grants[0] && open(grants[0])).toBe(refreshToken);
    const { body } = await app.client(app.root).user.get({
      params: { character_name: app.provider.world.character(id)?.name ?? '' },
    });
    expect(body).toMatchObject({ available_ext_scopes: [MAIL, SKILLS, 'publicData'] });
  });

  it('D34b: a character has at most twenty: dead ones go first, then those with the fewest scopes, and are revoked', async () => {
    const id = member();
    const [dead, few, ...others] = EXT_SCOPES.filter((scope) => scope !== 'publicData').slice(0, 21);
    if (dead === undefined || few === undefined) throw new Error('there are too few scopes');
    await signInFor(id, [dead, few]);
    await app.db.updateTable('grants').set({ valid: false }).where('character_id', '=', id).execute();
    await signInFor(id, [few]);
    const fewest = (await grantsOf(id)).find(({ valid }) => valid);
    for (const scope of others.slice(0, 18)) await signInFor(id, [few, scope]);
    expect(await grantsOf(id)).toHaveLength(20);
    await signInFor(id, [dead]);
    const alive = await grantsOf(id);
    expect(alive).toHaveLength(20);
    expect(alive.filter(({ valid }) => !valid)).toEqual([]);
    await signInFor(id, [few, dead]);
    const left = await grantsOf(id);
    expect(left).toHaveLength(20);
    expect(left.filter(({ scopes }) => scopes.length === 1)).toMatchObject([{ scopes: [dead] }]);
    const { rows } =
      await sql`select data->>'grant_id' as grant_id from pgboss.job where name = 'revoke-grant'`.execute(
        app.db,
      );
    expect(rows).toEqual([{ grant_id: fewest?.grant_id }]);
  });

  it('D34b: unknown scopes in a grant are dropped and logged', async () => {
    const id = member();
    app.provider.nextAccessToken((draft) => {
      draft.claims.scp = ['esi-secrets.read_everything.v9', 'esi-mail.read_mail.v1', 'brandNew'];
    });
    const before = app.logged.length;
    await signInFor(id, [MAIL]);
    expect(await grantsOf(id)).toMatchObject([{ scopes: [MAIL] }]);
    const line = app.logged.slice(before).find((text) => text.includes('scopes that are not known'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      level: 'warn',
      scopes: ['brandNew', 'ext-secrets.read_everything.v9'],
    });
  });

  it('provider.md §1: without a scope there is no refresh token: the sign-in counts, no grant is stored', async () => {
    const id = member();
    const { login_url } = await startLogin(app, { dyn, scopes: [] });
    expect((await app.browse(login_url, { characterId: id })).status).toBe(302);
    expect(await grantsOf(id)).toEqual([]);
  });

  it('D37: every scope goes to the provider in its spelling, and comes back in ours', async () => {
    const id = member();
    const asked = EXT_SCOPES.filter(
      (scope) => scope === 'publicData' || /^ext-[a-z_]+\.[a-z_]+\.v\d+$/.test(scope),
    );
    await signInFor(id, asked);
    expect(await grantsOf(id)).toMatchObject([{ scopes: [...asked].sort() }]);
  });
});
