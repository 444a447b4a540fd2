import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../harness/instance.ts';
import { claimPorts } from '../harness/ports.ts';

const DETAIL = 'The database cannot be reached.';

/** An API whose database is away. */
const api = createServer((req, res) => {
  if (req.url === '/healthz') return void res.end('{"status":"ok"}');
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
afterEach(async () => {
  if (proxy?.exitCode === null && proxy.kill('SIGKILL')) await once(proxy, 'exit');
});
afterAll(async () => {
  api.closeAllConnections();
  api.close();
  await ports.release();
  await rm(folder, { recursive: true });
});

/** Starts a proxy with a file that is shipped, changed as its comments say. */
async function start(name: string, change: (text: string) => string, command: readonly string[]) {
  const file = join(folder, name);
  await writeFile(file, change(await readFile(join(ROOT, 'deploy', name), 'utf8')));
  const [program = '', ...args] = command;
  const env = {
    ...process.env,
    ...{ HOME: folder, CASTELLAN_DOMAIN: `http://127.0.0.1:${ports.first}`, CASTELLAN_UPSTREAM: upstream() },
  };
  proxy = spawn(program, [...args, file], { env, stdio: 'ignore' });
}

const upstream = () => `127.0.0.1:${(api.address() as AddressInfo).port}`;
const ask = (path: string) => fetch(`http://127.0.0.1:${ports.first}${path}`);

/** The check of the proxy has failed when it has been asked often enough. */
async function checkedTimes(times: number): Promise<void> {
  let checks = 0;
  const count = (req: { url?: string }) => {
    if (req.url === '/readyz') checks += 1;
  };
  api.on('request', count);
  await expect.poll(() => checks).toBeGreaterThanOrEqual(times);
  api.off('request', count);
}

async function expectTheApisAnswer(): Promise<void> {
  await expect
    .poll(() =>
      ask('/healthz').then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
  for (let n = 0; n < 5; n += 1) {
    const answer = await ask('/group');
    expect({ status: answer.status, after: answer.headers.get('retry-after') }).toEqual({
      status: 503,
      after: '2',
    });
    expect(await answer.json()).toEqual({ detail: DETAIL });
  }
}

describe('D8: a proxy passes on what the service says while its database is away', () => {
  it.skipIf(spawnSync('haproxy', ['-v']).status !== 0)('HAProxy', async () => {
    const change = (text: string) =>
      text
        .replace('maxconn 20000', 'maxconn 200')
        .replace('bind :8080', `bind 127.0.0.1:${ports.first}`)
        .replaceAll(/10\.0\.0\.\d:8080/g, upstream())
        .replace(/^listen postgresql[\s\S]*/m, '');
    await start('haproxy.cfg', change, ['haproxy', '-db', '-f']);
    await checkedTimes(6);
    await expectTheApisAnswer();
  });

  it.skipIf(spawnSync('caddy', ['version']).status !== 0)('Caddy', async () => {
    const change = (text: string) => text.replace(/^\{\n/m, '{\n\tadmin off\n');
    await start('Caddyfile', change, ['caddy', 'run', '--adapter', 'caddyfile', '--config']);
    await expectTheApisAnswer();
  });
});
