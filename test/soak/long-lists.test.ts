import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateLoad } from '../bench/load.ts';
import { addCoalition, addOrganizations } from '../fixtures/users.ts';
import { BASE_URL, newSigningKey, startTestApp, type TestApp } from '../harness/app.ts';
import { build, createInstance, type Instance } from '../harness/instance.ts';
import { productionEnv } from '../harness/production.ts';
import { spread, tell } from './fleet/figures.ts';
import { quantile } from './hostile/figures.ts';
import { type Service, startService } from './hostile/service.ts';

/** All of them members of one alliance. */
const USERS = Number(process.env['SOAK_LISTED'] ?? 50_000);
const SECONDS = Number(process.env['SOAK_LIST_SECONDS'] ?? 20);
const CALLERS = 16;
const PIECE = 5_000;
/** Milliseconds that one in a hundred looks at the process may take. */
const HEALTHY_WITHIN = 50;
const LOOK_EVERY = 10;

const ALLIANCE = 99_200_001;
const CORPORATION = 98_200_001;
const ORGANIZATIONS = [{ alliance: ALLIANCE, corporations: [CORPORATION] }];
const COALITION = 'c9'.repeat(12);

let app: TestApp;
let instance: Instance;
let service: Service;
/** The alliance's. */
let group: string;

beforeAll(async () => {
  await build();
  const keys = JSON.stringify({ keys: [await newSigningKey()] });
  app = await startTestApp({ env: { TOKEN_SIGNING_KEYS: keys } });
  await addOrganizations(app, ORGANIZATIONS);
  await addCoalition(app, COALITION, { alliances: [ALLIANCE] });
  // In pieces: none takes longer than a statement may.
  for (let first = 1; first <= USERS; first += PIECE) {
    await sql`
      insert into users (character_id, character_name, name_key, corporation_id)
      select 2150000000 + n, 'Pilot ' || md5(n::text), 'pilot ' || md5(n::text), ${CORPORATION}
      from generate_series(${first}::int, ${Math.min(first + PIECE - 1, USERS)}::int) n`.execute(app.db);
  }
  // Whoever has members has an autogroup.
  await addOrganizations(app, ORGANIZATIONS);
  const autogroup = app.db.selectFrom('groups').select('group_id').where('alliance_id', '=', ALLIANCE);
  group = (await autogroup.executeTakeFirstOrThrow()).group_id;
  await sql`analyze`.execute(app.db);
  instance = await createInstance();
  const env = { ...(await productionEnv()), BASE_URL, TOKEN_SIGNING_KEYS: keys, RATE_LIMIT: '0' };
  service = await startService({ ...env, DATABASE_URL: app.databaseUrl, WORKERS: 'none' }, instance.port);
}, 20 * 60_000);
afterAll(async () => {
  await service?.stop();
  await instance?.remove();
  await app?.stop();
});

/** Looks whether the process is up for as long as the work takes; returns what each look took. */
async function watchHealth<T>(work: () => Promise<T>): Promise<{ result: T; looks: number[] }> {
  const client = new Client(`http://127.0.0.1:${service.port}`);
  const looks: number[] = [];
  let done = false;
  const working = work().finally(() => {
    done = true;
  });
  while (!done) {
    const began = performance.now();
    const { statusCode, body } = await client.request({ method: 'GET', path: '/healthz' });
    await body.dump();
    expect(statusCode).toBe(200);
    looks.push(performance.now() - began);
    await sleep(LOOK_EVERY);
  }
  const result = await working;
  await client.close();
  return { result, looks };
}

describe(`lists of ${USERS} people, asked for by ${CALLERS} callers without a pause`, () => {
  it.each(['/user', '/user?limit=1000', '/group/:autogroup', `/coalition/${COALITION}/tracking`])(
    'GET %s holds nobody else up',
    async (path) => {
      const target = {
        origin: `http://127.0.0.1:${service.port}`,
        headers: { authorization: `Bearer ${app.root}` },
        path: () => path.replace(':autogroup', group),
      };
      const quiet = await watchHealth(() => sleep(3_000));
      const { result, looks } = await watchHealth(() => generateLoad(target, CALLERS, SECONDS));
      const rate = (result.requests / result.seconds).toFixed(1);
      tell(`GET ${path}: ${rate} a second, median ${Math.round(result.p50)} ms`);
      tell(`  GET /healthz beside it: ${spread(looks)}; alone: ${spread(quiet.looks)}`);
      expect(quantile(looks, 0.99)).toBeLessThan(HEALTHY_WITHIN);
    },
  );
});
