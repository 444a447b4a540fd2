/**
 * What the token endpoint of OpenID Connect costs: refresh tokens exchanged for the next ones, as relying parties do all
 * day, each chain of them over a connection of its own. There is nothing to compare it with: every exchange uses one
 * token up and makes the next one.
 */
import { Pool } from 'undici';
import { createApp } from '../../server/app.ts';
import { readSettings, requireComplete } from '../../server/config/settings.ts';
import { createLog } from '../../server/observability/log.ts';
import { createAdapter } from '../../server/oidc/adapter.ts';
import type { Services } from '../../server/services/services.ts';
import {
  build,
  cpuTime,
  type Running,
  type Server,
  startDatabase,
  startProvider,
  startService,
} from './processes.ts';
import { addRelyingParty, CLIENT, CLIENT_SECRET, SOMEBODY } from './relying-party.ts';
import { median } from './report.ts';
import { productionSettings } from './service.ts';
import { makeWorld } from './world.ts';

/** Chains of refresh tokens, each of a grant of its own. */
const CHAINS = 16;
const DAY = 86_400;
const SCOPE = 'openid profile groups offline_access';

export interface TokenPlan {
  readonly rounds: number;
  /** Seconds before each round, and of the round itself. */
  readonly warmUp: number;
  readonly seconds: number;
}

/** Starts what it needs and returns the report. */
export async function benchTokenEndpoint({ rounds, warmUp, seconds }: TokenPlan): Promise<string> {
  const closers: (() => Promise<void>)[] = [];
  try {
    const database = await startDatabase();
    closers.push(database.stop);
    const provider = await startProvider();
    closers.push(provider.stop);
    const env = await productionSettings(database.url, provider.settings);
    const tokens = await fill(env);
    build();
    const service = await startService(env, undefined);
    closers.push(service.stop);
    const pool = new Pool(service.origin, { connections: CHAINS });
    closers.push(() => pool.close());
    const found: Round[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await refresh(pool, tokens, warmUp);
      found.push(await measure(service, () => refresh(pool, tokens, seconds)));
    }
    return report(found);
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** Migrates and fills the database; returns the refresh token that each chain begins with. */
async function fill(env: NodeJS.ProcessEnv): Promise<string[]> {
  const app = await createApp(requireComplete(readSettings(env)), { log: createLog('warn'), worker: false });
  const { services } = app;
  await makeWorld(services.db, services.keys.currentKid, services.vault);
  await addRelyingParty(services);
  const tokens = Array.from({ length: CHAINS }, (_, n) => `refresh-${n}-${'x'.repeat(32)}`);
  for (const [n, token] of tokens.entries()) await addChain(services, `grant-of-chain-${n}`, token);
  await app.close();
  return tokens;
}

async function addChain(services: Services, grantId: string, token: string): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const save = (model: string, id: string, payload: object) =>
    createAdapter(services, model).upsert(
      id,
      { iat: now, exp: now + DAY, kind: model, accountId: String(SOMEBODY), clientId: CLIENT, ...payload },
      DAY,
    );
  await save('Grant', grantId, { openid: { scope: SCOPE } });
  const origin = { grantId, scope: SCOPE, gty: 'authorization_code', iiat: now, authTime: now };
  await save('RefreshToken', token, { ...origin, expiresWithSession: false });
}

/** Lets every chain go on for so many seconds; milliseconds of each exchange. */
async function refresh(pool: Pool, tokens: string[], seconds: number): Promise<number[]> {
  const until = performance.now() + seconds * 1000;
  const credentials = Buffer.from(`${CLIENT}:${CLIENT_SECRET}`).toString('base64');
  const times: number[] = [];
  const chain = async (n: number) => {
    while (performance.now() < until) {
      const began = performance.now();
      const { statusCode, body } = await pool.request({
        ...{ method: 'POST', path: '/oidc/token' },
        headers: {
          authorization: `Basic ${credentials}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          refresh_token: tokens[n] as string,
        }).toString(),
      });
      const answer = (await body.json()) as { refresh_token?: string };
      if (statusCode !== 200) throw new Error(`${statusCode}: ${JSON.stringify(answer)}`);
      tokens[n] = answer.refresh_token ?? '';
      times.push(performance.now() - began);
    }
  };
  await Promise.all(tokens.map((_, n) => chain(n)));
  return times;
}

interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU of the service's process for one exchange. */
  readonly cpu: number;
}

async function measure(service: Server & Running, work: () => Promise<number[]>): Promise<Round> {
  const before = { cpu: cpuTime(service) ?? 0, at: performance.now() };
  const times = (await work()).sort((a, b) => a - b);
  const cpu = (cpuTime(service) ?? 0) - before.cpu;
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
  return {
    perSecond: (times.length * 1000) / (performance.now() - before.at),
    ...{ p50: at(0.5), p99: at(0.99) },
    cpu: (cpu * 1000) / times.length,
  };
}

function report(rounds: readonly Round[]): string {
  const of = (value: (round: Round) => number) => median(rounds.map(value)).toFixed(1);
  const rate = of(({ perSecond }) => perSecond);
  const [p50, p99, cpu] = [of((round) => round.p50), of((round) => round.p99), of((round) => round.cpu)];
  return `POST /oidc/token, ${CHAINS} connections: ${rate}/s, p50 ${p50} ms, p99 ${p99} ms, CPU ${cpu} µs each\n`;
}
