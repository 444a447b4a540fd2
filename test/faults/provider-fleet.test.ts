import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { scheduledJobs } from '../../server/queue/job-catalogue.ts';
import { addHome, addMember } from '../fixtures/users.ts';
import { envBeside, newKeys, startTestApp, type TestApp } from '../harness/app.ts';
import { farOff } from '../harness/far-off.ts';
import { build, createInstance, type Instance, PRODUCTION } from '../harness/instance.ts';
import { addGrant, forgetProvider, MAIL, WALLET } from '../harness/provider.ts';

/** The processes, by their User-Agent at the provider. */
const [ONE, TWO, WORKER] = ['api-one', 'api-two', 'worker'];
const NOWHERE = 98_999_001;

type Member = Awaited<ReturnType<typeof addMember>>;

let app: TestApp;
let instance: Instance;
let urls: string[];
/** Two members that are no CEOs, so that registrations by the processes do not affect them. */
let ada: Member;
let ben: Member;

beforeAll(async () => {
  await build();
  const keys = await newKeys();
  app = await startTestApp({ env: { ...keys, RATE_LIMIT: '0' }, provider: { corporations: 40 } });
  await addHome(app);
  const { world } = app.provider;
  const [one = 0, two = 0] = world.corporations
    .flatMap(({ id }) => world.membersOf(id))
    .filter((id) => !world.character(id)?.isCeo);
  [ada, ben] = [await addMember(app, one), await addMember(app, two)];
  for (const { id } of [ada, ben]) await addGrant(app, id, [MAIL, WALLET]);
  await startProcesses(keys);
});
beforeEach(async () => {
  // To the first second of the provider's minute, so that no test meets its end.
  app.clock.advance(60_000 - (app.clock.now().getTime() % 60_000));
  await forgetProvider(app);
  app.provider.reset();
});
afterAll(async () => {
  await instance?.remove();
  await app?.stop();
});

/** Two services and a worker on the database and the provider of the test. */
async function startProcesses(keys: Readonly<Record<string, string>>): Promise<void> {
  instance = await createInstance();
  const env = (name: string, port: number) => ({
    ...keys,
    ...envBeside(app),
    EXT_USER_AGENT: name,
    PORT: String(port),
    METRICS_PORT: '0',
    RATE_LIMIT: '0',
    WORKERS: 'none',
    LOG_LEVEL: 'info',
    // Otherwise jobs ask the provider, too, depending on the time of day.
    JOB_SCHEDULES: scheduledJobs.map((job) => `${job}=${farOff()}`).join(';'),
  });
  urls = [];
  for (const [n, name] of [ONE, TWO].entries()) {
    instance.start(PRODUCTION.server, env(name, instance.port + n));
    urls.push(`http://127.0.0.1:${instance.port + n}`);
  }
  const worker = instance.start(PRODUCTION.jobs, env(WORKER, instance.port + 2));
  await worker.printed(/"working"/);
  for (const url of urls) {
    await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), {
      timeout: 60_000,
      interval: 100,
    });
  }
}

interface Outcome {
  /** The status of the service, and that of the provider if it answered. */
  readonly status: string;
  readonly retryAfter: number;
}

async function send(process: number, method: string, path: string, token: string): Promise<Outcome> {
  const answer = await fetch(`${urls[process % 2]}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
  });
  const { status_code: passedOn } = (await answer.json()) as { status_code?: number };
  return {
    status: passedOn === undefined ? String(answer.status) : `${answer.status} ${passedOn}`,
    retryAfter: Number(answer.headers.get('retry-after')),
  };
}

const forward = (process: number, path: string, { jwt }: Member, params: object = {}) =>
  send(process, 'GET', `/ext/${path}?params=${encodeURIComponent(JSON.stringify(params))}`, jwt);

let asked = 0;

/** Requests a corporation that does not exist, which causes an error charged to the caller (D33b). */
const register = (process: number) => send(process, 'POST', `/corporation/${NOWHERE + asked++}`, app.root);

const times = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));
const seen = () => app.provider.requests.filter(({ area }) => area === 'api');
const errors = () => seen().filter(({ status }) => status !== null && status >= 400);

describe('D33: two processes of the service and a worker share the limits', () => {
  it('both obey a 429 of one rate group, and other groups and characters are not affected', async () => {
    const wallet = `characters/${ada.id}/wallet`;
    app.provider.faults.add(`/${wallet}`, { kind: 'status', status: 429, retryAfter: 40 });
    const refused = await forward(0, wallet, ada);
    expect(refused.status).toBe('503');
    expect(refused.retryAfter).toBeGreaterThan(30);
    const [own, mail, others, open] = await Promise.all([
      times(20, (n) => forward(n, wallet, ada)),
      // With another query each time, so that neither the cache nor another request answers.
      times(20, (n) => forward(n, `characters/${ada.id}/mail`, ada, { last_mail_id: n })),
      times(20, (n) => forward(n, `characters/${ben.id}/wallet`, ben)),
      times(20, (n) => forward(n, 'markets/10000001/orders', ada, { type_id: n })),
    ]);
    expect(new Set(own.map(({ status }) => status))).toEqual(new Set(['503']));
    for (const untouched of [mail, others, open])
      expect(new Set(untouched.map(({ status }) => status))).toEqual(new Set(['200 200']));
    expect(seen().filter(({ path }) => path.endsWith(wallet))).toHaveLength(1);
    expect(new Set(seen().map(({ userAgent }) => userAgent))).toEqual(new Set([ONE, TWO]));
  });

  it('with 45 errors left, failing calls of all three cause no more than that, and 30 are reserved for the worker', async () => {
    const { world, faults } = app.provider;
    const executors = world.alliances.map(({ executorCorporationId }) => executorCorporationId);
    for (const { id } of world.corporations)
      if (!executors.includes(id)) faults.add(`/corporations/${id}`, { kind: 'status', status: 502 });
    app.provider.setErrorLimit({ remaining: 45 });
    // One call of each service, then those of the worker, whose job follows from the registration: of one alliance, as
    // the errors of the first job may be all that a second registration could have had.
    expect(await times(2, register)).toMatchObject([{ status: '404' }, { status: '404' }]);
    const [alliance] = world.alliances;
    expect((await send(0, 'POST', `/alliance/${alliance?.id}`, app.root)).status).toBe('200');
    await vi.waitFor(() => expect(errors().map(({ userAgent }) => userAgent)).toContain(WORKER), {
      timeout: 60_000,
    });
    const [own, forwarded] = await Promise.all([
      times(60, register),
      times(60, (n) => forward(n, `corporations/${NOWHERE + n}`, ada)),
    ]);
    for (const { status, retryAfter } of [...own, ...forwarded]) {
      expect(['404', '404 404', '503']).toContain(status);
      if (status === '503') expect(retryAfter).toBeGreaterThan(0);
    }
    expect((await register(1)).status).toBe('503');
    expect((await forward(0, `corporations/${NOWHERE - 1}`, ben)).status).toBe('503');
    const byCallers = errors().filter(({ userAgent }) => userAgent !== WORKER);
    // Two registrations before the worker; how many more depends on how soon it gets its share.
    expect(byCallers.length).toBeGreaterThanOrEqual(2);
    expect(byCallers.length).toBeLessThanOrEqual(15);
    expect(errors().length).toBeLessThanOrEqual(45);
    // There is no 420, so the provider never banned the address.
    expect(new Set(errors().map(({ status }) => status))).toEqual(new Set([404, 502]));
    expect(new Set(errors().map(({ userAgent }) => userAgent))).toEqual(new Set([ONE, TWO, WORKER]));
  });
});
