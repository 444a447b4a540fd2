import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, ok } from '../../sdk/src/index.ts';
import { alive, build, createInstance, familyOf, type Instance, type Running } from '../harness/instance.ts';
import { startReceiver } from '../harness/receiver.ts';
import { signInAt } from '../harness/sign-in-at.ts';

let instance: Instance;
beforeAll(async () => {
  await build();
  instance = await createInstance();
});
afterAll(() => instance.remove());

/** Milliseconds within which a stop must be complete. */
const STOP_WITHIN = 30_000;

/** Options of a Node whose SIGUSR2 is a promise that is rejected and that nobody waits for. */
const CARELESS = `--import=data:text/javascript,${encodeURIComponent(
  "process.on('SIGUSR2', () => void Promise.reject(new Error('nobody waits')))",
)}`;

/** Stops the service by a signal, and checks how it ended. */
async function expectGracefulStop(server: Running, signal: () => unknown): Promise<void> {
  const processes = [...familyOf(server.pid), ...(await instance.database())];
  expect(processes.length).toBeGreaterThan(4);
  const asked = performance.now();
  await signal();
  const { code } = await server.ended;
  expect(performance.now() - asked).toBeLessThan(STOP_WITHIN);
  expect(code).toBe(0);
  expect(alive(processes)).toEqual([]);
  expect(await instance.database()).toEqual([]);
}

/** Sends a request without the end of its body; returns when the service has read its head. */
async function halfARequest(token: string, body: object): Promise<{ finish(): Promise<string> }> {
  const bytes = Buffer.from(JSON.stringify(body));
  const head = [
    'POST /coalition HTTP/1.1',
    `Host: 127.0.0.1:${instance.port}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${bytes.length}`,
    'Expect: 100-continue',
    'Connection: close',
  ];
  const socket = connect(instance.port, '127.0.0.1').setEncoding('utf8');
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1.1 100 /);
  socket.write(bytes.subarray(0, 5));
  return {
    async finish() {
      socket.write(bytes.subarray(5));
      return String(await once(socket, 'data'));
    },
  };
}

/** The tests share one DATA_DIR: each continues where the previous one ended. */
describe('a process of the service', () => {
  let token: string;
  let server: Running;
  const client = () => createClient({ baseUrl: instance.url, token });
  const coalitionNames = async () =>
    (await ok(client().coalition.list())).map((coalition) => coalition.coalition_name);

  it('starts on an empty DATA_DIR, lets running requests finish at Ctrl-C under npm, and ends with 0', async () => {
    const started = await instance.serve({}, ['npm', 'start']);
    token = started.token;
    expect((await fetch(`${instance.url}/readyz`)).status).toBe(200);
    const request = await halfARequest(token, { coalition_name: 'Last minute', ticker: 'LAST' });
    let answer: Promise<string> | undefined;
    await expectGracefulStop(started, async () => {
      started.signalGroup('SIGINT');
      await started.printed(/"msg":"asked to stop"/);
      const open = () => fetch(`${instance.url}/healthz`).then(Boolean, () => false);
      await expect.poll(open).toBe(false);
      answer = request.finish();
    });
    expect(await answer).toMatch(/^HTTP\/1.1 201 /);
  });

  it('starts again after kill -9, with the same data and the same permanent token', async () => {
    const killed = await instance.serve();
    expect(killed.token).toBe(token);
    expect(await coalitionNames()).toContain('Last minute');
    await ok(client().coalition.create({ body: { coalition_name: 'Survivor', ticker: 'SURV' } }));
    killed.signal('SIGKILL');
    await killed.ended;
    const restarted = await instance.serve({ NODE_OPTIONS: CARELESS });
    server = restarted;
    expect(restarted.token).toBe(token);
    expect(await coalitionNames()).toContain('Survivor');
  });

  it('logs a rejection that nobody waited for, and lives on', async () => {
    server.signal('SIGUSR2');
    await server.printed(/"level":"error".*nobody waits.*"msg":"a rejection was not handled"/);
    expect((await fetch(`${instance.url}/readyz`)).status).toBe(200);
  });

  it('survives a kill -9 of its PostgreSQL: requests get 503 or their answer, and jobs are done', async () => {
    const [postmaster = 0] = await instance.database();
    process.kill(postmaster, 'SIGKILL');
    for (let recovered = false; !recovered; ) {
      const answer = await fetch(`${instance.url}/token`, { headers: { authorization: `Bearer ${token}` } });
      expect([200, 503]).toContain(answer.status);
      if (answer.status === 503) expect(answer.headers.get('retry-after')).toBe('5');
      else recovered = ((await instance.database())[0] ?? postmaster) !== postmaster;
      await sleep(20);
    }
    const receiver = await startReceiver();
    try {
      await signInAt(instance.url, token, receiver.callback);
      await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(1);
    } finally {
      await receiver.stop();
    }
  });

  it('ends with 0 at SIGTERM, as sent by a service manager, and stops PostgreSQL', async () => {
    await expectGracefulStop(server, () => server.signal('SIGTERM'));
  });

  it('serves for DRAIN_SECONDS after SIGTERM, while /readyz fails', async () => {
    const draining = await instance.serve({ DRAIN_SECONDS: '12', WORKERS: 'none' });
    draining.signal('SIGTERM');
    const ready = async () => (await fetch(`${instance.url}/readyz`)).status;
    await expect.poll(ready).toBe(503);
    const answer = await fetch(`${instance.url}/token`, { headers: { authorization: `Bearer ${token}` } });
    expect({ status: answer.status, connection: answer.headers.get('connection') }).toEqual({
      status: 200,
      connection: 'close',
    });
    expect((await draining.ended).code).toBe(0);
    expect(await instance.database()).toEqual([]);
  });

  it('stops its PostgreSQL, too, when its terminal is closed', async () => {
    const server = await instance.serve({ DRAIN_SECONDS: '300', WORKERS: 'none' });
    await expectGracefulStop(server, () => server.signalGroup('SIGHUP'));
  });

  it('does not drain at a Ctrl-C', async () => {
    const server = await instance.serve({ DRAIN_SECONDS: '300', WORKERS: 'none' });
    await expectGracefulStop(server, () => server.signalGroup('SIGINT'));
  });
});
