import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { alive, build, createInstance, familyOf, type Instance, PROGRAMS } from '../harness/instance.ts';

let instance: Instance;
beforeAll(async () => {
  await build();
  instance = await createInstance();
});
afterAll(() => instance.remove());

/** Whether no process of the instance is left. */
async function expectNothingLeft(pids: readonly number[]): Promise<void> {
  expect(alive(pids)).toEqual([]);
  expect(await instance.database()).toEqual([]);
}

describe('a process whose standard output has no reader any more', () => {
  it('worker: ends at a stop signal, as with `| head -1`', async () => {
    const service = await instance.serve({ WORKERS: 'none' });
    const worker = instance.start(PROGRAMS.jobs);
    await worker.printed(/"msg":"working"/);
    worker.hangUp();
    worker.signal('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 0, stderr: '' });
    service.signal('SIGTERM');
    expect((await service.ended).code).toBe(0);
    expect(await instance.database()).toEqual([]);
  });

  it('development start: continues without its reader, and stops its PostgreSQL at the end', async () => {
    const service = instance.start(PROGRAMS.server);
    // The first line is printed long before the message at the end of the start.
    await service.printed(/\n/);
    service.hangUp();
    const ready = () =>
      fetch(`${instance.url}/readyz`).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(ready, { timeout: 50_000 }).toBe(200);
    const pids = [...familyOf(service.pid), ...(await instance.database())];
    expect(pids.length).toBeGreaterThan(3);
    for (let requests = 0; requests < 20; requests += 1) await fetch(`${instance.url}/healthz`);
    service.signal('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
    await expectNothingLeft(pids);
  });

  it('`npm start | cat`: ends at a Ctrl-C in the terminal, which ends cat first', async () => {
    const pipeline = await instance.serve({ WORKERS: 'none' }, ['bash', '-c', 'npm start | cat']);
    const pids = [...familyOf(pipeline.pid), ...(await instance.database())];
    expect(pids.length).toBeGreaterThan(5);
    pipeline.signalGroup('SIGINT');
    // Standard error stays open until the last process of the pipeline has ended.
    await pipeline.ended;
    await expectNothingLeft(pids);
  });

  it('with a real provider: names /docs and npm run token at the end of the start, as text with LOG_FORMAT=text', async () => {
    const nobody = `http://127.0.0.1:${instance.port + 1}`;
    const service = instance.start(PROGRAMS.server, {
      ...{ SSO_CLIENT_ID: 'castellan', SSO_CLIENT_SECRET: 'secret', SSO_URL: nobody, EXT_API_URL: nobody },
      ...{ LOG_FORMAT: 'pretty', METRICS_PORT: '0', WORKERS: 'none' },
    });
    await service.printed(
      new RegExp(`^\\[[\\d:.]+\\] INFO: ready: ${instance.url}/docs is .* npm run token `, 'm'),
    );
    service.signal('SIGTERM');
    const { code, stdout } = await service.ended;
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/^\{/m);
  });

  it.each(['openapi', 'token'] as const)(
    '%s: ends without a stack trace, as with `| head -1`',
    async (program) => {
      const command = instance.start(PROGRAMS[program]);
      command.hangUp();
      expect(await command.ended).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it('a stalled reader holds up nothing: requests are answered, and a stop signal is handled', async () => {
    const service = await instance.serve({ WORKERS: 'none' });
    const pids = [service.pid, ...(await instance.database())];
    service.stall();
    // Far more lines than the buffer of a pipe holds.
    for (let requests = 0; requests < 60; requests += 1) {
      expect((await fetch(`${instance.url}/${'x'.repeat(8000)}`)).status).toBe(404);
    }
    service.signal('SIGTERM');
    await vi.waitFor(() => expect(alive(pids)).toEqual([]), { timeout: 60_000 });
    service.hangUp();
    expect((await service.ended).code).toBe(0);
  });
});
