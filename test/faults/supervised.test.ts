import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { alive, build, createInstance, familyOf, type Instance, PRODUCTION } from '../harness/instance.ts';
import { onDatabase, productionEnv } from '../harness/production.ts';

let instance: Instance;
let env: Record<string, string>;
beforeAll(async () => {
  await build();
  instance = await createInstance();
  env = await productionEnv();
});
afterAll(() => instance.remove());

const ALL_READY = /all processes of the service are ready/;
const SERVING = /^castellan_processes_\w+ \d+$/gm;
const COUNTED = /^castellan_http_request_duration_seconds_count\{.*route="\/readyz",status="200"\} (\d+)$/m;

describe('several processes behind one port (PROCESSES)', () => {
  it('serve side by side; one that is killed is replaced; all of them stop together', async () => {
    await onDatabase('migrated', async (DATABASE_URL) => {
      const metricsPort = instance.port + 1;
      const started = { ...env, DATABASE_URL, PROCESSES: '2', METRICS_PORT: String(metricsPort) };
      const server = instance.start(PRODUCTION.server, started);
      await server.printed(ALL_READY);
      const processes = familyOf(server.pid);
      expect(processes).toHaveLength(3);

      const ask = () => fetch(`${instance.url}/readyz`, { headers: { connection: 'close' } });
      for (let n = 0; n < 20; n += 1) expect((await ask()).status).toBe(200);
      const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      const counted = async () => Number(COUNTED.exec(await metrics())?.[1]);
      const serving = async () => (await metrics()).match(SERVING);
      await expect.poll(counted).toBe(20);
      expect(await serving()).toEqual(['castellan_processes_ready 2', 'castellan_processes_wanted 2']);

      process.kill(processes[1] ?? 0, 'SIGKILL');
      await server.printed(/another one takes its place/);
      expect(await serving()).toEqual(['castellan_processes_ready 1', 'castellan_processes_wanted 2']);
      // The new process gets no request before it can answer.
      let again = false;
      const readyAgain = server.printed(new RegExp(`${ALL_READY.source}[^]*${ALL_READY.source}`)).then(() => {
        again = true;
      });
      do {
        expect((await ask()).status).toBe(200);
        // Reading the metrics does not wait for it, and the counts of the dead process stay.
        expect(await counted()).toBeGreaterThanOrEqual(20);
        // Far less than the new process takes to start, which has to come to it, too.
        await sleep(25);
      } while (!again);
      await readyAgain;
      expect(await serving()).toEqual(['castellan_processes_ready 2', 'castellan_processes_wanted 2']);

      // Each replaced process has its own pause.
      process.kill(processes[2] ?? 0, 'SIGKILL');
      await server.printed(/another one takes its place.*another one takes its place/s);
      expect(server.output.stdout.match(/"pause":\d+/g)).toEqual(['"pause":500', '"pause":500']);

      const family = familyOf(server.pid);
      server.signal('SIGTERM');
      expect((await server.ended).code).toBe(0);
      expect(alive(family)).toEqual([]);
    });
  });

  it('end with the reason when the first processes cannot start', async () => {
    const unreachable = { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/nothing', PROCESSES: '2' };
    const { code, stderr } = await instance.run(PRODUCTION.server, { ...env, ...unreachable });
    expect(code).toBe(1);
    expect(stderr).toContain('The database cannot be reached');
    expect(stderr).toContain('A process of the service did not start.');
  });
});
