import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { NewOidcClient } from '../../contract/oidc.ts';
import { ok } from '../../sdk/src/index.ts';
import { letIn } from '../fixtures/registry.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { Browser, type Landed } from '../harness/browser.ts';

const CORPORATION = 98_000_011;
const [EDITOR, READER] = [2_112_000_049, 2_112_000_055];
const MODULES = '/usr/lib/apache2/modules';

let app: TestApp;
let front: Server;
let base: string;
let apache: string;
let folder: string;
let client: NewOidcClient;
let group: string;

/** The recipe of docs/connecting.md, and around it what Debian's own configuration has already. */
function configuration(): string {
  const { port } = new URL(apache);
  const asRoot = userInfo().uid === 0 ? 'User www-data\nGroup www-data\n' : '';
  return `ServerRoot ${folder}
PidFile ${folder}/pid
DefaultRuntimeDir ${folder}
Mutex file:${folder}
Listen 127.0.0.1:${port}
ServerName 127.0.0.1:${port}
ErrorLog ${folder}/error.log
${asRoot}LoadModule mpm_event_module ${MODULES}/mod_mpm_event.so
LoadModule authn_core_module ${MODULES}/mod_authn_core.so
LoadModule authz_core_module ${MODULES}/mod_authz_core.so
LoadModule authz_user_module ${MODULES}/mod_authz_user.so
LoadModule headers_module ${MODULES}/mod_headers.so
LoadModule auth_openidc_module ${MODULES}/mod_auth_openidc.so
DocumentRoot ${folder}/www
OIDCProviderMetadataURL ${base}/.well-known/openid-configuration
OIDCClientID ${client.client_id}
OIDCClientSecret ${client.client_secret}
OIDCRedirectURI ${apache}/private/callback
OIDCCryptoPassphrase a-long-random-text-of-the-test
OIDCScope "openid profile groups"
OIDCPKCEMethod S256
OIDCRemoteUserClaim sub
OIDCPassClaimsAs environment
<Location /private>
  AuthType openid-connect
  Require valid-user
  Header always set X-User "expr=%{REMOTE_USER}"
  Header always set X-Groups "%{OIDC_CLAIM_groups}e"
  Header always set X-Group-Ids "%{OIDC_CLAIM_group_ids}e"
</Location>
<Location /private/editors>
  Require claim group_ids:${group}
</Location>
`;
}

beforeAll(async () => {
  [front, base] = await listening((incoming, outgoing) => {
    const { hostname, port } = new URL(app.url);
    const { method, url: path, headers } = incoming;
    const onwards = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onwards);
  });
  app = await startTestApp({ worker: true, env: { BASE_URL: base } });
  await letIn(app, { corporations: [CORPORATION] });
  const [placeholder, url] = await listening(() => undefined);
  await new Promise((resolve) => placeholder.close(resolve));
  apache = url;
  const root = app.client(app.root);
  client = await ok(
    root.oidc.createClient({
      body: {
        client_name: 'Apache',
        redirect_uris: [`${apache}/private/callback`],
        post_logout_redirect_uris: [`${apache}/bye`],
        backchannel_logout_uri: `${apache}/private/callback?logout=backchannel`,
        first_party: true,
      },
    }),
  );
  ({ group_id: group } = await ok(root.group.create({ body: { group_name: 'Editors' } })));
  folder = await mkdtemp(join(tmpdir(), 'castellan-apache-'));
  await chmod(folder, 0o777);
  await mkdir(join(folder, 'www/private/editors'), { recursive: true });
  for (const page of ['bye', 'private/page', 'private/editors/page']) {
    await writeFile(join(folder, 'www', page), `this is ${page}\n`);
  }
  await writeFile(join(folder, 'apache.conf'), configuration());
  await promisify(execFile)('/usr/sbin/apache2', ['-f', join(folder, 'apache.conf')]);
  await vi.waitFor(async () => expect((await fetch(`${apache}/bye`)).status).toBe(200), { timeout: 60_000 });
});
afterAll(async () => {
  const pid = await readFile(join(folder, 'pid'), 'utf8').catch(() => undefined);
  if (pid !== undefined) process.kill(Number(pid), 'SIGTERM');
  await new Promise((resolve) => front.close(resolve));
  await app?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function listening(handler: Parameters<typeof createServer>[1]): Promise<[Server, string]> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
}

/** A person's browser, which keeps cookies for Apache and for the service apart. */
class Person {
  readonly #there: Browser;
  readonly #here: Browser;

  constructor(characterId: number) {
    this.#there = new Browser(app, { choice: { characterId }, base: apache, at: apache });
    this.#here = new Browser(app, { choice: { characterId }, base, at: base });
  }

  async go(address: string): Promise<Landed> {
    let landed = await this.#there.go(address);
    for (let hops = 0; landed.page === undefined && hops < 5; hops += 1) {
      landed = await (landed.url.href.startsWith(base) ? this.#here : this.#there).go(landed.url);
    }
    return landed;
  }

  async press(page: Landed, name: string): Promise<Landed> {
    const landed = await this.#here.press(page, name);
    return landed.page === undefined ? this.#there.go(landed.url) : landed;
  }

  follow(page: Landed, text: string): Promise<Landed> {
    return this.#here.follow(page, text);
  }
}

const nameOf = async (character_id: number) =>
  (
    await app.db
      .selectFrom('users')
      .select('character_name')
      .where('character_id', '=', character_id)
      .executeTakeFirstOrThrow()
  ).character_name;

const corporation = async () =>
  (
    await app.db
      .selectFrom('corporations')
      .select('corporation_name')
      .where('corporation_id', '=', CORPORATION)
      .executeTakeFirstOrThrow()
  ).corporation_name;

describe('Apache with mod_auth_openidc', () => {
  it('signs people in, and learns name and groups', async () => {
    const person = new Person(EDITOR);
    const { page, html } = await person.go(`${apache}/private/page`);
    expect([page?.status, html]).toEqual([200, 'this is private/page\n']);
    expect(page?.headers.get('x-user')).toBe(String(EDITOR));
    expect(page?.headers.get('x-groups')).toContain(await corporation());
    expect((await person.go(`${apache}/private/page`)).page?.status).toBe(200);
  });

  it('lets a group in, and nobody else', async () => {
    await app.signIn(EDITOR);
    const add_members = [await nameOf(EDITOR)];
    await ok(app.client(app.root).group.update({ params: { group_id: group }, body: { add_members } }));
    const editor = await new Person(EDITOR).go(`${apache}/private/editors/page`);
    expect(editor.page?.status).toBe(200);
    expect(editor.page?.headers.get('x-group-ids')?.split(',')).toContain(group);
    expect((await new Person(READER).go(`${apache}/private/editors/page`)).page?.status).toBe(401);
  });

  it('is told by the service whom it does not let in', async () => {
    const { client_id } = client;
    const allow = (allowed_groups: string[]) =>
      ok(app.client(app.root).oidc.updateClient({ params: { client_id }, body: { allowed_groups } }));
    await allow([group]);
    const page = await new Person(READER).go(`${apache}/private/page`);
    expect([page.page?.status, page.html]).toEqual([403, expect.stringContaining('Editors')]);
    await allow([]);
  });

  it('logs people out of the service, who come back', async () => {
    const person = new Person(EDITOR);
    await person.go(`${apache}/private/page`);
    const page = await person.go(`${apache}/private/callback?logout=${encodeURIComponent(`${apache}/bye`)}`);
    expect(page.html).toContain('Log out?');
    const landed = await person.press(page, 'logout');
    expect([landed.url.href, landed.html]).toEqual([`${apache}/bye`, 'this is bye\n']);
  });

  it('hears within seconds that somebody lost the right, and ends the session', async () => {
    const person = new Person(READER);
    expect((await person.go(`${apache}/private/page`)).page?.status).toBe(200);
    const { group_id } = await ok(app.client(app.root).group.create({ body: { group_name: 'Banned' } }));
    const body = { authorized_to_login: false, add_members: [await nameOf(READER)] };
    await ok(app.client(app.root).group.update({ params: { group_id }, body }));
    await expect
      .poll(async () => (await person.go(`${apache}/private/page`)).page?.status, { timeout: 60_000 })
      .toBe(403);
  });
});
