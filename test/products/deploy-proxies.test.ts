import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../harness/instance.ts';
import { claimPorts } from '../harness/ports.ts';

const DETAIL = 'The database cannot be reached.';

/** Whether the API below is ready, and the paths that it was asked for. */
let ready: boolean;
let asked: string[];
const timesAsked = (path: string) => asked.filter((other) => other === path).length;
/** An API that answers 503 to everything but checks, as without a database or while it stops. */
const api = createServer(({ url = '' }, res) => {
  asked.push(url);
  if (url === '/healthz' || (url === '/readyz' && ready)) return void res.end('{"status":"ok"}');
  if (url.startsWith('/oidc/auth?')) {
    res.writeHead(303, { Location: `https://app.example/in?code=1&${url.split('?')[1]}` });
    return void res.end();
  }
  res.writeHead(503, { 'Content-Type': 'application/json', 'Retry-After': '2' });
  res.end(JSON.stringify({ detail: DETAIL }));
});
let folder: string;
let ports: Awaited<ReturnType<typeof claimPorts>>;
let proxy: ChildProcess | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'castellan-proxies-'));
  ports = await claimPorts();
  await once(api.listen(0, '127.0.0.1'), 'listening');
});
beforeEach(() => {
  asked = [];
});
afterEach(async () => {
  if (proxy?.exitCode === null && proxy.kill('SIGKILL')) await once(proxy, 'exit');
});
afterAll(async () => {
  api.closeAllConnections();
  api.close();
  await ports.release();
  await rm(folder, { recursive: true });
});

const upstream = () => `127.0.0.1:${(api.address() as AddressInfo).port}`;
const ask = (path: string, options?: RequestInit) => fetch(`http://127.0.0.1:${ports.first}${path}`, options);

interface Shipped {
  readonly name: string;
  readonly file: string;
  /** Changes the file as its comments say: to two servers, both of which are the API here, and without TLS. */
  change(text: string): string;
  /** Starts the proxy with the file whose path comes behind it. */
  readonly command: readonly [program: string, ...args: string[]];
  /** Prints the version. */
  readonly version: string;
}

const HAPROXY: Shipped = {
  name: 'HAProxy',
  file: 'haproxy.cfg',
  change: (text) =>
    text
      .replace('maxconn 20000', 'maxconn 200')
      .replace('bind :8080', `bind 127.0.0.1:${ports.first}`)
      .replaceAll(/10\.0\.0\.\d:8080/g, upstream())
      .replace(/^listen postgresql[\s\S]*/m, ''),
  command: ['haproxy', '-db', '-f'],
  version: '-v',
};
const NGINX: Shipped = {
  name: 'nginx',
  file: 'nginx.conf',
  change(text) {
    const here = text
      .replace(/^server \{\n {4}listen 80;[\s\S]*?^\}\n/m, '')
      .replace('listen 443 ssl http2;', `listen 127.0.0.1:${ports.first};`)
      .replaceAll(/^ *(?:listen \[|ssl_).*\n/gm, '')
      .replaceAll(/(?:# )?server [\d.]+:8080/g, `server ${upstream()}`)
      .replaceAll('/var/log/nginx', folder);
    // One process, which ends alone.
    return `daemon off;\nmaster_process off;\npid ${folder}/pid;\nevents {}\nhttp {\n${here}}\n`;
  },
  command: ['nginx', '-e', 'stderr', '-c'],
  version: '-v',
};
const CADDY: Shipped = {
  name: 'Caddy',
  file: 'Caddyfile',
  change: (text) =>
    text
      .replace(/^\{\n/m, '{\n\tadmin off\n')
      .replace('{$CASTELLAN_UPSTREAM:127.0.0.1:8080}', `${upstream()} ${upstream()}`),
  command: ['caddy', 'run', '--adapter', 'caddyfile', '--config'],
  version: 'version',
};
async function start({ file, change, command: [program, ...args] }: Shipped): Promise<void> {
  const changed = join(folder, file);
  await writeFile(changed, change(await readFile(join(ROOT, 'deploy', file), 'utf8')));
  const env = { ...process.env, HOME: folder, CASTELLAN_DOMAIN: `http://127.0.0.1:${ports.first}` };
  proxy = spawn(program, [...args, changed], { env, stdio: 'ignore' });
  const health = () =>
    ask('/healthz').then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(health).toBe(200);
}

describe.each([HAPROXY, NGINX, CADDY])('$name, by the file that is shipped', (shipped) => {
  const isMissing = spawnSync(shipped.command[0], [shipped.version]).status !== 0;

  it.skipIf(isMissing)('D8: passes on what the service says while its database is away', async () => {
    ready = false;
    await start(shipped);
    // So often that HAProxy's check has failed.
    if (shipped === HAPROXY) await expect.poll(() => timesAsked('/readyz')).toBeGreaterThanOrEqual(6);
    for (let n = 0; n < 5; n += 1) {
      const answer = await ask('/group');
      const { status, headers } = answer;
      expect({ status, after: headers.get('retry-after') }).toEqual({ status: 503, after: '2' });
      expect(await answer.json()).toEqual({ detail: DETAIL });
    }
  });

  it.skipIf(isMissing)('sends somebody back to an application with a long state', async () => {
    ready = true;
    await start(shipped);
    const state = 's'.repeat(7_000);
    const answer = await ask(`/oidc/auth?state=${state}`, { redirect: 'manual' });
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`https://app.example/in?code=1&state=${state}`);
  });

  it.skipIf(isMissing)('D26: after a 503 asks no second API with the code of a sign-in', async () => {
    ready = true;
    await start(shipped);
    for (const path of [
      '/callback/ext?code=1&state=2',
      '/oidc/auth/3',
      '/oidc/interaction/3/login?state_code=4',
    ]) {
      expect((await ask(path)).status).toBe(503);
      expect(timesAsked(path), path).toBe(1);
    }
    // Caddy does not repeat a read either.
    expect((await ask('/group')).status).toBe(503);
    expect(timesAsked('/group') > 1).toBe(shipped !== CADDY);
  });
});
