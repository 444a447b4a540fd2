import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BASE_URL, newKeys, startTestApp, type TestApp } from '../../harness/app.ts';
import { build } from '../../harness/instance.ts';
import { reply, startProcess } from '../child.ts';
import type { AttackOrder, AttackReport } from './attackers-process.ts';
import { ATTACKERS } from './attacks/index.ts';
import { type Person, settle } from './people.ts';
import type { ProviderOrder, ProviderReady } from './provider-process.ts';
import { type Service, startService } from './service.ts';
import { APPLICATION } from './watch.ts';

const HEALTHY = 8;
export interface Stage {
  /** The registry, without a part in what is measured. */
  readonly app: TestApp;
  readonly service: Service;
  /** The service's folder for temporary files. */
  readonly temporary: string;
  readonly healthy: readonly Person[];
  readonly attackers: { begin(): void; end(): Promise<AttackReport> };
  stop(): Promise<void>;
}

/** Provider, service, attackers: each a process of its own, beside a registry of people at level 0. */
export async function setStage(seed: number): Promise<Stage> {
  await build();
  const client = { clientId: 'castellan-soak', clientSecret: randomBytes(18).toString('base64url') };
  const provider = startProcess(join(import.meta.dirname, 'provider-process.ts'));
  provider.send(client satisfies ProviderOrder);
  const { ssoUrl, apiUrl, specUrl } = await reply<ProviderReady>(provider);
  const env = {
    SSO_URL: ssoUrl,
    SSO_CLIENT_ID: client.clientId,
    SSO_CLIENT_SECRET: client.clientSecret,
    EXT_API_URL: apiUrl,
    EXT_API_SPEC_URL: specUrl,
    ...(await newKeys()),
  };
  const app = await startTestApp({ env, provider: client });
  const people = await settle(app, HEALTHY + ATTACKERS);
  const database = new URL(app.databaseUrl);
  database.searchParams.set('application_name', APPLICATION);
  const temporary = await mkdtemp(join(tmpdir(), 'castellan-hostile-'));
  // Everything else as it is by default: the rate limit, the jobs, the log.
  const production = { NODE_ENV: 'production', BASE_URL, METRICS_PORT: '0', TMPDIR: temporary };
  const port = await freePort();
  const service = await startService({ ...env, ...production, DATABASE_URL: database.href }, port);
  const attackers = startProcess(join(import.meta.dirname, 'attackers-process.ts'));
  const order = (given: AttackOrder) => attackers.send(given);
  order({ kind: 'muster', port: service.port, people: people.slice(HEALTHY), seed });
  return {
    app,
    service,
    temporary,
    healthy: people.slice(0, HEALTHY),
    attackers: {
      begin: () => void order({ kind: 'begin' }),
      end: () => {
        const report = reply<AttackReport>(attackers);
        order({ kind: 'end' });
        return report;
      },
    },
    async stop() {
      attackers.disconnect();
      await service.stop();
      provider.disconnect();
      await app.stop();
      await rm(temporary, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
