import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sequence } from '../../dev/world/random.ts';
import { FIRST_CHARACTER_ID, FIRST_CORPORATION_ID } from '../../dev/world/world.ts';
import { createApi } from '../../server/api.ts';
import { type App, createApp } from '../../server/app.ts';
import { type Listening, listen } from '../../server/http/listen.ts';
import { addHome, addMember } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { addGrant } from '../harness/provider.ts';
import { type Got, send } from '../harness/send.ts';
import { createMisbehaviour, LIMITS } from './misbehaviour.ts';
import { progressOf } from './progress.ts';

/** Calls of the whole run; fewer for a quick look. */
const CALLS = Number(process.env['SOAK_CALLS'] ?? 10_000);
const SEED = Number(process.env['SOAK_SEED'] ?? 1);
const AT_ONCE = 24;
/** Calls of one after the other before the provider misbehaves in another way. */
const EACH = 4;
/** Those after so many have no refresh token. */
const GRANTED = 20;
const PEOPLE = 22;
/** Ids of corporations that there are not. */
const NOBODYS = 98_900_000;
/** What D30 and D33 call the failures; anything else is a defect of ours. */
const REFUSALS = [403, 404, 429, 502, 503, 504];

interface Call {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Level 0 may not ask on behalf of others (D17). */
  readonly forbidden: boolean;
  /** No such path, or nobody's refresh token. */
  readonly missing: boolean;
}

type Answer = Partial<Record<'detail' | 'data' | 'headers' | 'id_annotations' | 'status_code', unknown>>;

describe(`D30, D33: ${CALLS} forwarded calls over HTTP at two instances while everything fails at random`, () => {
  let app: TestApp;
  let other: App;
  let http: Listening;
  let people: Awaited<ReturnType<typeof addMember>>[];
  const random = sequence(SEED);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

  beforeAll(async () => {
    app = await startTestApp({ env: { RATE_LIMIT: '0' }, providerLimits: LIMITS });
    const { settings, log } = app.app.services;
    other = await createApp(settings, { log, clock: app.clock, worker: false, providerLimits: LIMITS });
    http = await listen(createApi(other.services), '127.0.0.1', 0);
    await app.app.services.document.current();
    await other.services.document.current();
    await addHome(app);
    people = [];
    for (let n = 0; n < PEOPLE; n += 1) {
      const id = FIRST_CHARACTER_ID + n;
      people.push(await addMember(app, id));
      if (n < GRANTED) await addGrant(app, id);
    }
  });
  afterAll(async () => {
    await http.stop(1_000);
    await other.close();
    await app.stop();
  });

  const urls = () => [app.url, `http://127.0.0.1:${http.port}`];

  function randomCall(n: number): Call {
    const own = people[n]?.id ?? 0;
    const call = { body: { params: {} }, forbidden: false, missing: false };
    // The first one provokes errors on purpose.
    if (n === 0) return { ...call, path: `corporations/${NOBODYS + Math.floor(random() * 1e6)}` };
    const kind = random();
    if (kind < 0.5) {
      const path = `characters/${own}/${pick(['skills', 'location', 'wallet'])}`;
      return { ...call, path, missing: n >= GRANTED };
    }
    if (kind < 0.55) {
      const another = pick(people.filter(({ id }) => id !== own)).id;
      return {
        ...call,
        path: `characters/${another}/wallet`,
        body: { on_behalf_of: another },
        forbidden: true,
      };
    }
    if (kind < 0.6) return { ...call, path: 'no/such/path', missing: true };
    if (kind < 0.65) {
      const params = random() < 0.5 ? { type_id: 34 + Math.floor(random() * 2_500) } : {};
      return { ...call, path: 'markets/10000001/orders', body: { params, all_pages: true } };
    }
    // Some of them do not exist: errors that the caller provokes.
    const id = FIRST_CORPORATION_ID + Math.floor(random() * 40);
    return {
      ...call,
      path: `${pick(['', 'latest/'])}corporations/${id}`,
      body: { id_annotations: random() < 0.5 },
    };
  }

  /** By POST, by GET with a body, or by GET with a query. */
  function make({ path, body }: Call, token: string): Promise<Got<Answer>> {
    const to = { url: pick(urls()) };
    const form = random();
    if (form < 0.4) return send(to, 'POST', `/ext/${path}`, { token, body });
    if (form < 0.7) return send(to, 'GET', `/ext/${path}`, { token, body });
    const { params = {}, ...flags } = body;
    const query = new URLSearchParams({ params: JSON.stringify(params) });
    for (const [name, value] of Object.entries(flags)) query.set(name, String(value));
    return send(to, 'GET', `/ext/${path}?${query}`, { token });
  }

  /** What is wrong with an answer; undefined: it is as D30 says. */
  function defect(call: Call, { status, headers, json }: Got<Answer>): string | undefined {
    if (json === undefined) return 'no JSON';
    if (call.forbidden) return status === 403 ? undefined : 'not refused';
    if (call.missing) return status === 404 ? undefined : 'not missing';
    const { status_code: code, data, headers: passed, id_annotations: names } = json;
    if (status === 200) {
      return code === 200 && data !== undefined && typeof passed === 'object' && typeof names === 'object'
        ? undefined
        : 'something is missing';
    }
    if (typeof json.detail !== 'string') return 'no detail';
    if (code !== undefined) {
      if (code !== status && !(code === 401 && status === 502)) return 'an unlikely status_code';
      return data !== undefined && typeof passed === 'object' ? undefined : 'something is missing';
    }
    if (status === 403 || status === 404 || !REFUSALS.includes(status)) return 'an unlikely status';
    const waits = status === 503 || status === 429;
    return waits && !(Number(headers['retry-after']) > 0) ? 'no Retry-After' : undefined;
  }

  it(
    'end in answers and named errors; no refresh token dies; nobody asks while banned',
    async () => {
      const misbehaviour = createMisbehaviour(app, random);
      const statuses: Record<string, number> = {};
      const defects: object[] = [];
      const progress = progressOf('forwarded calls', CALLS);
      const began = performance.now();
      for (let made = 0; made < CALLS; made += AT_ONCE * EACH) {
        progress(made);
        await misbehaviour.goOn();
        await Promise.all(
          Array.from({ length: AT_ONCE }, async () => {
            for (let n = 0; n < EACH; n += 1) {
              const who = random() < 0.3 ? 0 : Math.floor(random() * PEOPLE);
              const call = randomCall(who);
              const got = await make(call, people[who]?.jwt ?? '');
              const passed = got.json?.status_code === undefined ? '' : ` ${String(got.json.status_code)}`;
              statuses[got.status + passed] = (statuses[got.status + passed] ?? 0) + 1;
              const wrong = defect(call, got);
              if (wrong !== undefined) defects.push({ wrong, call, status: got.status, text: got.text });
            }
          }),
        );
        // What was written is of no use here, and there is much of it.
        for (const lines of [app.logged, app.statements]) (lines as string[]).length = 0;
      }
      const { banned } = misbehaviour;
      const seconds = Math.round((performance.now() - began) / 1000);
      process.stdout.write(`${JSON.stringify({ seed: SEED, seconds, statuses, banned })}\n`);
      expect(defects).toEqual([]);
      expect(statuses['200 200']).toBeGreaterThan(CALLS / 10);
      for (const status of REFUSALS) expect(statuses).toHaveProperty(String(status));
      expect(banned).toBe(0);
      expect(await misbehaviour.dead()).toEqual([]);
      expect(await app.db.selectFrom('crash_reports').selectAll().execute()).toEqual([]);
    },
    30 * 60_000,
  );

  it('all is well when the provider is', async () => {
    app.provider.reset();
    app.clock.advance(3_600_000);
    for (const { id, jwt } of people.slice(0, GRANTED)) {
      const { status, json } = await send<Answer>(app, 'POST', `/ext/characters/${id}/skills`, {
        token: jwt,
      });
      expect({ status, code: json.status_code }).toEqual({ status: 200, code: 200 });
    }
  });
});
