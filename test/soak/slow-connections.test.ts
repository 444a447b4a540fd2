import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { envBeside, newKeys, startTestApp, type TestApp } from '../harness/app.ts';
import { build } from '../harness/instance.ts';
import { claimPorts } from '../harness/ports.ts';
import { reply, startProcess } from './child.ts';
import { tell } from './fleet/figures.ts';
import { everyLatency, latencyTable, quantile } from './hostile/figures.ts';
import { type Healthy, startHealthy, type WindowSeen } from './hostile/healthy.ts';
import { type Person, settle } from './hostile/people.ts';
import { type Service, startService } from './hostile/service.ts';
import { type Inspector, inspect } from './inspector.ts';
import type { SlowOrder, SlowReport, SlowSeen } from './slow/clients-process.ts';
import { kinds } from './slow/kinds.ts';

const CONNECTIONS = Number(process.env['SOAK_SLOW'] ?? 5_000);
/** On a busy machine one or the other is being opened anew. */
const NEARLY_ALL = 0.95 * CONNECTIONS;
const SECOND = 1_000;
const MIB = 1024 * 1024;
/** Until the code is compiled that healthy callers need, and the service is as large as it gets by itself. */
const WARM_UP = 15 * SECOND;
const BUSY_CALLERS = 16;
const ALONE = 20 * SECOND;
/** For as long the last requests of those that were opened are still answered: a flood that is over, and told apart. */
const AFTER_OPENING = 5 * SECOND;
const BESIDE = 40 * SECOND;
const LOOK_EVERY = SECOND;
/** Milliseconds of the slowest of a hundred healthy answers that are no harm, whatever it was alone. */
const UNHARMED = 10;
const MORE_MEMORY = 64 * MIB;
/** By the peak, which has garbage in it. */
const HIGHER_PEAK = 2 * MORE_MEMORY;
/** Descriptors that either process needs besides, and that may come and go meanwhile. */
const OTHER_DESCRIPTORS = 200;
const SPARE_DESCRIPTORS = 64;
const HEALTHY = 8;

let ports: Awaited<ReturnType<typeof claimPorts>>;
let app: TestApp;
let service: Service;
let inspector: Inspector;
let clients: ChildProcess;
let people: Person[];
let healthy: Healthy;

beforeAll(async () => {
  requireDescriptors(CONNECTIONS + OTHER_DESCRIPTORS);
  await build();
  const keys = await newKeys();
  app = await startTestApp({ env: keys });
  people = await settle(app, HEALTHY);
  ports = await claimPorts();
  const env = {
    ...keys,
    ...envBeside(app),
    ...{ NODE_ENV: 'production', METRICS_PORT: '0', RATE_LIMIT: '0', WORKERS: 'none' },
  };
  const inspected = ports.first + 1;
  service = await startService(env, ports.first, [
    `--inspect=127.0.0.1:${inspected}`,
    '--inspect-publish-uid=http',
  ]);
  inspector = await inspect(inspected);
  clients = startProcess(join(import.meta.dirname, 'slow/clients-process.ts'));
  healthy = startHealthy(service.port, people);
}, 5 * 60_000);
afterAll(async () => {
  clients?.disconnect();
  await healthy?.stop();
  await inspector?.close();
  await service?.stop();
  await app?.stop();
  await ports?.release();
});

/** Node has raised the limit as far as it may be. */
function requireDescriptors(needed: number): void {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const [, most] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  if (Number(most) >= needed) return;
  throw new Error(
    `${CONNECTIONS} connections need ${needed} open files, and ${most} are allowed: raise \`ulimit -n\`.`,
  );
}

const order = (given: SlowOrder) => void clients.send(given);

async function report(): Promise<SlowReport> {
  const told = reply<SlowReport>(clients);
  order({ kind: 'report' });
  return told;
}

const openIn = (told: SlowReport) => Object.values(told).reduce((sum, { open }) => sum + open, 0);

interface Window {
  readonly seen: WindowSeen;
  /** The most bytes of memory, garbage included. */
  readonly peak: number;
  /** The fewest slow connections at a time. */
  readonly fewest: number;
}

/**
 * Bytes of memory without garbage: V8 lets the heap grow to twice what is in use before it collects, and when it does is
 * chance.
 */
async function memoryInUse(): Promise<number> {
  await inspector.heap();
  return service.memory();
}

/** Lets time pass, looking at the service and at the slow clients now and then. */
async function pass(milliseconds: number): Promise<Window> {
  healthy.next();
  const memory: number[] = [];
  const open: number[] = [];
  for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(LOOK_EVERY)) {
    memory.push(await service.memory());
    open.push(openIn(await report()));
  }
  return { seen: healthy.next(), peak: Math.max(...memory), fewest: Math.min(...open) };
}

/** Asks as much as the service answers. */
async function askForAsLongAs(milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  const ask = async ({ name, jwt }: Person) => {
    const headers = { authorization: `Bearer ${jwt}` };
    while (performance.now() < end) {
      const answer = await fetch(`http://127.0.0.1:${service.port}/user/${name}`, { headers });
      await answer.arrayBuffer();
    }
  };
  const callers = Array.from({ length: BUSY_CALLERS }, (_, n) => people[n % people.length] as Person);
  await Promise.all(callers.map(ask));
}

async function untilNearlyAllOpen(): Promise<void> {
  await vi.waitFor(async () => expect(openIn(await report())).toBeGreaterThan(NEARLY_ALL), {
    timeout: 60 * SECOND,
    interval: 100,
  });
}

/** Waits until the service has no more descriptors than that. */
async function untilDescriptors(most: number, timeout: number): Promise<void> {
  await vi.waitFor(async () => expect((await service.held()).descriptors).toBeLessThanOrEqual(most), {
    timeout,
    interval: SECOND,
  });
}

describe(`${CONNECTIONS} slow connections`, () => {
  it(
    'healthy callers wait no longer than twice, memory grows by less than 64 MiB, and all of it is free afterwards',
    async () => {
      await Promise.all([pass(WARM_UP), askForAsLongAs(WARM_UP)]);
      const alone = await pass(ALONE);
      const inUseAlone = await memoryInUse();
      const { descriptors } = await service.held();
      const began = performance.now();
      order({ kind: 'connect', port: service.port, people, count: CONNECTIONS });
      await untilNearlyAllOpen();
      tell(`they are open after ${Math.round(performance.now() - began)} ms`);
      const settling = await pass(AFTER_OPENING);
      const beside = await pass(BESIDE);
      await untilNearlyAllOpen();
      const more = (await memoryInUse()) - inUseAlone;
      const higher = beside.peak - alone.peak;
      order({ kind: 'stay away' });

      const [p99Alone, p99Beside] = [alone, beside].map(({ seen }) => quantile(everyLatency(seen), 0.99)) as [
        number,
        number,
      ];
      tell('just after they were opened:');
      tell(latencyTable(alone.seen, settling.seen));
      tell(latencyTable(alone.seen, beside.seen));
      tell(`at least ${beside.fewest} were open at a time`);
      tell(`${Math.round(inUseAlone / MIB)} MiB, and ${Math.round(more / MIB)} MiB more`);
      tell(`${Math.round(alone.peak / MIB)} MiB at the peak, and ${Math.round(higher / MIB)} MiB more`);

      const mortal = kinds.filter(({ ended }) => ended !== undefined);
      const longest = Math.max(...mortal.map(({ ended }) => ended?.within ?? 0));
      const patient = CONNECTIONS / kinds.length;
      await untilDescriptors(descriptors + patient + SPARE_DESCRIPTORS, longest);
      const told = await report();
      for (const { name } of kinds) tell(`${name}: ${describeSeen(told[name])}`);
      order({ kind: 'hang up' });
      await untilDescriptors(descriptors + SPARE_DESCRIPTORS, 10 * SECOND);

      expect([alone, settling, beside].flatMap(({ seen }) => seen.failures)).toEqual([]);
      expect(p99Beside).toBeLessThanOrEqual(Math.max(2 * p99Alone, UNHARMED));
      expect(more).toBeLessThan(MORE_MEMORY);
      expect(higher).toBeLessThan(HIGHER_PEAK);
      for (const { name, ended } of mortal) {
        const { [ended?.as ?? '']: asWanted = 0, closed = 0, ...others } = told[name]?.endings ?? {};
        expect(others, name).toEqual({});
        // A byte that crosses the answer on its way has the client's system throw the answer away.
        expect(asWanted, name).toBeGreaterThan(9 * closed);
        expect(told[name]?.longest, name).toBeLessThan(ended?.within ?? 0);
      }
      expect(service.lines).not.toHaveProperty('error');
      expect(service.ended()).toBe(false);
    },
    10 * 60_000,
  );
});

function describeSeen(seen: SlowSeen | undefined): string {
  const endings = Object.entries(seen?.endings ?? {}).map(
    ([ending, times]) => `${times} ended with ${ending}`,
  );
  const longest = Math.round((seen?.longest ?? 0) / SECOND);
  return [...endings, `the longest after ${longest} s`, `${seen?.open} open`].join(', ');
}
