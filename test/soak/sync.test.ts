import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { syncUsers } from '../../server/registry/sync-users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { testRun } from '../harness/run.ts';
import type { Order, Reply, WorldSize } from './sync-provider.ts';

/** Users of the smaller registry; fewer for a quick look. */
const USERS = Number(process.env['SOAK_USERS'] ?? 100_000);
/** One character in so many moves between two runs. */
const ONE_IN = 20;
/** Measured runs of each, in pairs; the median of their ratios counts, the largest growth does. */
const ROUNDS = 5;
/** Corporations that nobody has registered until somebody joins them. */
const UNFOUNDED = 10;
const MIB = 1024 * 1024;

interface Measured {
  readonly users: number;
  readonly moved: number;
  readonly seconds: number;
  readonly statements: number;
  /** Largest resident set during the run, less that before it, in MiB. */
  readonly growth: number;
  readonly requests: Readonly<Record<string, number>>;
  readonly untrue: number;
}

async function startProvider() {
  const program = join(import.meta.dirname, 'sync-provider.ts');
  const child = fork(program, { execArgv: ['--import', 'tsx'] });
  return {
    async ask<Kind extends Reply['kind']>(order: Order, kind: Kind): Promise<Extract<Reply, { kind: Kind }>> {
      child.send(order);
      const [reply] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [Reply | number];
      if (typeof reply !== 'object' || reply.kind !== kind) throw new Error(`no ${kind}: ${String(reply)}`);
      return reply as Extract<Reply, { kind: Kind }>;
    },
    async stop() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}

async function watch(app: TestApp) {
  const before = { rss: process.memoryUsage().rss, statements: app.statements.length, at: performance.now() };
  let peak = before.rss;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 20);
  const changes = await syncUsers(app.app.services, testRun('sync-users'));
  clearInterval(timer);
  return {
    changes: changes.length,
    seconds: (performance.now() - before.at) / 1000,
    statements: app.statements.length - before.statements,
    growth: (peak - before.rss) / MIB,
  };
}

/** A world in which the registry is true. */
async function settle(size: WorldSize) {
  const provider = await startProvider();
  const client = { clientId: 'castellan-soak', clientSecret: 'of no worth' };
  const { ssoUrl, apiUrl, specUrl } = await provider.ask({ kind: 'start', size, ...client }, 'started');
  const app = await startTestApp({
    env: {
      SSO_URL: ssoUrl,
      SSO_CLIENT_ID: client.clientId,
      SSO_CLIENT_SECRET: client.clientSecret,
      EXT_API_URL: apiUrl,
      EXT_API_SPEC_URL: specUrl,
      LOG_LEVEL: 'warn',
    },
  });
  const { databaseUrl } = app;
  const { users } = await provider.ask({ kind: 'populate', databaseUrl }, 'populated');
  expect(await syncUsers(app.app.services, testRun('sync-users'))).toEqual([]);
  await provider.ask({ kind: 'report', databaseUrl }, 'reported');
  return {
    /** A run after 5 % moved. */
    async measure(round: number): Promise<Measured> {
      const { characters: moved } = await provider.ask({ kind: 'move', oneIn: ONE_IN, round }, 'moved');
      const { growth, seconds, statements, changes } = await watch(app);
      expect(changes).toBeGreaterThanOrEqual(moved);
      const { requests, untrue } = await provider.ask({ kind: 'report', databaseUrl }, 'reported');
      return { users, moved, seconds, statements, growth, requests, untrue };
    },
    async stop(): Promise<void> {
      await app.stop();
      await provider.stop();
    },
  };
}

/** So many characters, in the same organizations whatever their number. */
const worldOf = (users: number): WorldSize => ({
  alliances: Math.max(2, USERS / 2_500),
  corporations: Math.max(40, USERS / 100),
  characters: users + UNFOUNDED,
  unfounded: UNFOUNDED,
});

function tell({ requests, ...measured }: Measured): void {
  const rounded = { seconds: Number(measured.seconds.toFixed(2)), growth: Math.round(measured.growth) };
  process.stdout.write(`${JSON.stringify({ ...measured, ...rounded, requests })}\n`);
}

describe(`the sync of ${USERS} users after 5 % of them moved`, () => {
  it('asks in thousands, in flat memory, and takes twice the time for twice the users at the most', async () => {
    const [small, large] = [await settle(worldOf(USERS)), await settle(worldOf(2 * USERS))];
    const single: Measured[] = [];
    const double: Measured[] = [];
    try {
      // In turns, so that a machine that slows down slows both.
      for (let round = 0; round < ROUNDS; round += 1) {
        single.push(await small.measure(round));
        double.push(await large.measure(round));
      }
    } finally {
      await Promise.all([small.stop(), large.stop()]);
    }
    for (const measured of [...single, ...double]) {
      tell(measured);
      expect(measured.untrue).toBe(0);
      const asked = measured.requests['POST /characters/affiliation'];
      expect(asked).toBeLessThanOrEqual(Math.ceil(measured.users / 1_000) + 1);
      // Corporations that nobody had registered, each asked for once.
      expect(measured.requests['GET /corporations/{corporation_id}'] ?? 0).toBeLessThanOrEqual(UNFOUNDED);
      expect(measured.growth).toBeLessThan(100);
    }
    const ratios = double.map(({ seconds }, round) => seconds / (single[round]?.seconds ?? 0));
    const ratio = ratios.sort((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0;
    process.stdout.write(`twice the users, ${ratio.toFixed(2)} times the time\n`);
    expect(ratio).toBeLessThanOrEqual(2);
  });
});
