import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccessRule } from '../../contract/access.ts';
import { operations } from '../../contract/openapi.ts';
import { createClient } from '../../sdk/src/index.ts';
import { makeToken, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { type Problem, send } from '../harness/send.ts';

let app: TestApp;
let dyn: string;
const tokens = { per: '', dyn: '', use: '' };
beforeAll(async () => {
  app = await startTestApp();
  dyn = await app.dynamicToken();
  const { jwt: use } = await makeToken(app, 'use', 0, uuidOf(dyn));
  Object.assign(tokens, { per: app.root, dyn, use });
});
afterAll(() => app.stop());

/** A path for every operation; its records need not exist, because the query is validated first (D6). */
const PARAMS: Readonly<Record<string, string>> = {
  alliance_id: '99000001',
  application_id: 'ab'.repeat(12),
  character: 'Ada Vale',
  character_id: '2112000001',
  character_name: 'Ada Vale',
  client_id: 'ab'.repeat(12),
  coalition_id: 'ab'.repeat(12),
  corporation_id: '98000001',
  crash_report_id: 'ab'.repeat(12),
  delivery_id: '00000000-0000-7000-8000-000000000000',
  esi_path: 'status',
  group_id: 'ab'.repeat(12),
  job_id: 'sync-users',
  mail_id: '1',
  person_id: '00000000-0000-4000-8000-000000000000',
  webhook_id: 'ab'.repeat(12),
};

const all = operations()
  .filter(({ metadata }) => metadata.access !== 'public')
  .map(({ route, metadata }) => ({
    ...metadata,
    method: route.method,
    path: route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(PARAMS[name] ?? '')),
  }));

/** The fault of a query. */
async function judged(method: string, path: string, token = app.root): Promise<unknown[]> {
  const answer = await send<Problem>(app, method, path, { token });
  expect(answer.status).toBe(422);
  return (answer.json.detail as { loc: unknown[]; msg: string }[])
    .filter(({ loc }) => loc[0] === 'query')
    .map(({ loc, msg }) => [loc, msg]);
}

describe('D3: an unknown parameter of a query is a 422 that names it', () => {
  it.each(all)('$method $path', async ({ method, path, access }) => {
    const [kind] = (access as AccessRule).tokens.filter((one) => one in tokens);
    const token = tokens[kind as keyof typeof tokens];
    expect(await judged(method, `${path}?surprise=1&__proto__=2`, token)).toEqual(
      expect.arrayContaining([
        [['query', 'surprise'], 'Unknown parameter'],
        [['query', '__proto__'], 'Unknown parameter'],
      ]),
    );
  });

  it('an operation that pages by header says so', async () => {
    const said = ': this operation takes "page" in the header of that name';
    for (const what of ['location', 'mail', 'skillpoints', 'wallet']) {
      const path = `/ext/history/characters/2112000001/${what}?page=99`;
      expect(await judged('GET', path)).toEqual([[['query', 'page'], `Unknown parameter${said}`]]);
    }
  });

  it('an operation that takes it in its body says so', async () => {
    expect(await judged('POST', '/ext/status?all_pages=true')).toEqual([
      [['query', 'all_pages'], 'Unknown parameter: this operation takes "all_pages" in its body'],
    ]);
  });

  it('D5: a misspelled name is answered with the most similar valid one', async () => {
    expect(await judged('POST', '/system/job/sync-users?forse=true&dryrun=true')).toEqual([
      [['query', 'forse'], 'Unknown parameter: did you mean "force"?'],
      [['query', 'dryrun'], 'Unknown parameter: did you mean "dry_run"?'],
    ]);
  });

  it('a repeated one is a 422 too, because it is not clear which value is meant', async () => {
    const uuid = '5a0d7c1a-2b3c-4d5e-8f60-718293a4b5c6';
    expect(await judged('DELETE', `/token?uuid=${uuid}&uuid=${uuid}`)).toEqual([
      [['query', 'uuid'], 'Must be given once'],
    ]);
  });

  it('D6: the token and the level are checked before the query', async () => {
    expect((await send(app, 'GET', '/user?surprise=1')).status).toBe(401);
    expect((await send(app, 'GET', '/user?surprise=1', { token: dyn })).status).toBe(401);
  });

  it('a forwarded GET takes its four fields, and no other', async () => {
    const client = createClient({ baseUrl: app.url, token: app.root });
    const query = { all_pages: false, id_annotations: true, on_behalf_of: 2112000001, params: {} };
    const answer = await client.ext.forwardGet({ params: { esi_path: 'status' }, query });
    expect(answer.status).toBe(200);
    expect(await judged('GET', '/ext/status?language=en')).toEqual([
      [['query', 'language'], 'Unknown parameter'],
    ]);
  });

  it('the provider may add any parameters to the callback', async () => {
    const answer = await fetch(`${app.url}/callback/ext?code=a&state=b&iss=x&session_state=y`);
    expect(answer.status).toBe(400);
    expect(await answer.text()).not.toContain('not valid');
  });
});

describe('D5: an unknown name is answered with the most similar valid one', () => {
  const faults = async (path: string, method: string, body: unknown, token = app.root) =>
    ((await send(app, method, path, { token, body })).json.detail as { loc: unknown; msg: unknown }[]).map(
      ({ loc, msg }) => [loc, msg],
    );

  it('scopes', async () => {
    const scopes = ['esi-mail.read_mail.v1', 'ext-wallet.read_character_wallets.v1', 'publicdata', 'fly', 7];
    expect(await faults('/token/use/from/dyn', 'POST', { scopes }, dyn)).toEqual([
      [['body', 'scopes', 0], 'Unknown scope "esi-mail.read_mail.v1": did you mean "ext-mail.read_mail.v1"?'],
      [
        ['body', 'scopes', 1],
        'Unknown scope "ext-wallet.read_character_wallets.v1": did you mean "ext-wallet.read_character_wallet.v1"?',
      ],
      [['body', 'scopes', 2], 'Unknown scope "publicdata": did you mean "publicData"?'],
      [['body', 'scopes', 3], 'Unknown scope "fly"'],
      [['body', 'scopes', 4], 'Must be the name of a scope'],
    ]);
  });

  it('fields', async () => {
    const body = { tickr: 'X', mandatory_esi_scopes: [], add_member_corporation: [], motto: '' };
    expect(await faults(`/coalition/${PARAMS.coalition_id}`, 'PUT', body)).toEqual([
      [['body', 'tickr'], 'Unknown field: did you mean "ticker"?'],
      [['body', 'mandatory_esi_scopes'], 'Unknown field: did you mean "mandatory_ext_scopes"?'],
      [['body', 'add_member_corporation'], 'Unknown field: did you mean "add_member_corporations"?'],
      [['body', 'motto'], 'Unknown field'],
    ]);
  });

  it('flags', async () => {
    expect(await judged('POST', '/system/job/sync-users?force=Tru')).toEqual([
      [['query', 'force'], 'Must be true or false: did you mean "true"?'],
    ]);
  });
});
