import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrashReport } from '../../contract/crash.ts';
import { readSettings } from '../../server/config/settings.ts';
import { addHome, addMember } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { type Collector, startCollector } from '../harness/collector.ts';
import { send } from '../harness/send.ts';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}
interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
}
interface Batch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

let collector: Collector;
const batches = () =>
  collector.bodies.map((body) => JSON.parse(body) as Batch).flatMap(({ resourceSpans }) => resourceSpans);
const spans = () => batches().flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${TRACE}-b7ad6b7169203331-01`;

let app: TestApp;
let caller: Awaited<ReturnType<typeof addMember>>;
beforeAll(async () => {
  collector = await startCollector('gate-of-the-test');
  app = await startTestApp({ worker: true });
  await addHome(app);
  caller = await addMember(app, 2_120_000_001);
});
afterAll(async () => {
  await app.stop();
  await collector.stop();
});

const ofTrace = (id: string) => spans().filter(({ traceId }) => traceId === id);
const attribute = ({ attributes }: Pick<SentSpan, 'attributes'>, name: string) =>
  attributes.find(({ key }) => key === name)?.value.stringValue;

describe('traces', () => {
  it('are made only if a collector is configured', () => {
    const isTraced = (env: NodeJS.ProcessEnv) => readSettings(env).tracing;
    expect(isTraced({})).toBe(false);
    expect(isTraced({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' })).toBe(true);
    expect(
      isTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_SDK_DISABLED: 'true' }),
    ).toBe(false);
    const by = (exporter: string) =>
      isTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_TRACES_EXPORTER: exporter });
    expect(by('none')).toBe(false);
    expect(by('otlp')).toBe(true);
  });

  it("continue a client's trace: the request, named by its route, with its statements below it, and in the log", async () => {
    const path = `/user/${encodeURIComponent(caller.name)}`;
    await send(app, 'GET', path, { token: caller.jwt, headers: { traceparent } });
    await expect.poll(() => ofTrace(TRACE).map(({ name }) => name)).toContain('GET /user/:character_name');
    const request = ofTrace(TRACE).find(({ name }) => name.startsWith('GET'));
    expect(request?.parentSpanId).toBe('b7ad6b7169203331');
    const statement = ofTrace(TRACE).find((span) =>
      attribute(span, 'db.query.text')?.includes('from tokens'),
    );
    expect(statement?.parentSpanId).toBe(request?.spanId);
    expect(
      app.logged.some((line) => line.includes(`"trace_id":"${TRACE}"`) && line.includes('"request"')),
    ).toBe(true);
    const [first] = batches();
    expect(first && attribute(first.resource, 'service.name')).toBe('gate-of-the-test');
  });

  it('continue in the job that a request enqueues', async () => {
    const trace = TRACE.replace('0af7', '1af7');
    const headers = { traceparent: traceparent.replace(TRACE, trace) };
    await send(app, 'POST', '/system/job/follow-names', { token: app.root, headers });
    await expect.poll(() => ofTrace(trace).map(({ name }) => name)).toContain('job follow-names');
    const { rows } = await sql<{
      data: unknown;
    }>`select data from pgboss.job where name = 'follow-names'`.execute(app.db);
    expect(rows).toContainEqual({
      data: { force: false, asked: true, traceparent: expect.stringContaining(trace) },
    });
  });

  it('have their id in crash reports', async () => {
    await sql`alter table standing_grants rename to standing_grants_away`.execute(app.db);
    try {
      const answer = await send<{ crash_report_id: string }>(
        app,
        'GET',
        `/user/${encodeURIComponent(caller.name)}`,
        {
          token: caller.jwt,
        },
      );
      expect(answer.status).toBe(500);
      const path = `/crash/${answer.json.crash_report_id}`;
      const { json } = await send<CrashReport>(app, 'GET', path, { token: app.root });
      const id = /^00-([0-9a-f]{32})-/.exec(json.request.headers.traceparent ?? '')?.[1] ?? '';
      await expect.poll(() => ofTrace(id).map(({ name }) => name)).toContain('GET /user/:character_name');
    } finally {
      await sql`alter table standing_grants_away rename to standing_grants`.execute(app.db);
    }
  });

  it('contain no token, name or query', async () => {
    await send(app, 'GET', `/callback/ext?state=state-canary&code=code-canary`);
    await expect.poll(() => spans().map(({ name }) => name)).toContain('GET /callback/ext');
    const all = collector.bodies.join();
    for (const secret of [
      caller.jwt,
      app.root,
      caller.name,
      encodeURIComponent(caller.name),
      'state-canary',
      'code-canary',
    ])
      expect(all.includes(secret)).toBe(false);
  });
});
