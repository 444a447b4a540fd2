import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CrashReport } from '../../contract/crash.ts';
import { ok } from '../../sdk/src/index.ts';
import { objectId } from '../../server/database/object-id.ts';
import { addHome, addMember } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { callerAt } from '../harness/caller.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { type Got, type Problem, type Sent, send } from '../harness/send.ts';

let app: TestApp;
let caller: Awaited<ReturnType<typeof addMember>>;

beforeAll(async () => {
  app = await startTestApp();
  await addHome(app);
  caller = await addMember(app, 2_120_000_001, 3);
});
afterAll(() => app.stop());
beforeEach(() => app.db.deleteFrom('crash_reports').execute());
afterEach(async () => {
  for (const table of ['standing_grants', 'state_codes', 'tokens', 'crash_reports']) {
    await sql.raw(`alter table if exists ${table}_away rename to ${table}`).execute(app.db);
  }
});

/** Causes an unforeseen error: renames a table or view until the test ends. */
async function takeAway(
  table: 'standing_grants' | 'state_codes' | 'tokens' | 'crash_reports',
): Promise<void> {
  await sql.raw(`alter table ${table} rename to ${table}_away`).execute(app.db);
}

async function putBack(table: 'tokens' | 'crash_reports'): Promise<void> {
  await sql.raw(`alter table ${table}_away rename to ${table}`).execute(app.db);
}

async function report(answer: Got<Problem>): Promise<CrashReport> {
  const crash_report_id = answer.json.crash_report_id ?? '';
  return ok(app.client(app.root).crash.get({ params: { crash_report_id } }));
}

/** Checks that neither the database nor the log contains any of these. */
async function expectNoneKept(...secrets: readonly string[]): Promise<void> {
  const rows = await app.db.selectFrom('crash_reports').selectAll().execute();
  const kept = JSON.stringify(rows) + app.logged.join('\n');
  const found = secrets.filter((secret) => kept.includes(secret));
  expect(found.map((secret) => kept.slice(kept.indexOf(secret) - 80, kept.indexOf(secret) + 20))).toEqual([]);
}

const crashing = (sent: Sent = {}, query = '') =>
  send(app, 'GET', `/user/${encodeURIComponent(caller.name)}${query}`, { token: caller.jwt, ...sent });

describe('D8: an uncaught exception', () => {
  it('is a 500 that names its report and nothing else', async () => {
    await takeAway('standing_grants');
    const answer = await crashing();
    expect(answer).toMatchObject({
      status: 500,
      json: {
        detail: 'Internal Server Error',
        code: 'internal_error',
        crash_report_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      },
    });
    expect(Object.keys(answer.json).sort()).toEqual(['code', 'crash_report_id', 'detail']);
    expect(answer.headers['x-request-id']).toEqual(expect.any(String));
  });

  it('D50: the report holds request, token, owner, time and trace', async () => {
    await takeAway('standing_grants');
    const before = app.clock.now();
    const stored = await report(await crashing({ headers: { accept: 'application/json' } }));
    expect(stored).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      _version: 1,
      request: {
        headers: { accept: 'application/json', host: expect.any(String) },
        method: 'GET',
        params: { character_name: caller.name },
        url: `/user/${encodeURIComponent(caller.name)}`,
      },
      token: {
        uuid: caller.uuid,
        token_type: 'use',
        owner: { character_id: caller.id, character_name: caller.name },
        created_on: expect.stringMatching(/Z$/),
        expires_on: expect.stringMatching(/Z$/),
      },
      trace: expect.stringMatching(/relation "standing_grants" does not exist[\s\S]*\n {4}at /),
    });
    expect(Object.keys(stored).sort()).toEqual(['_version', 'id', 'request', 'timestamp', 'token', 'trace']);
    expect(Date.parse(stored.timestamp)).toBeGreaterThanOrEqual(before.getTime());
  });

  it('D50: params are those of the path and of the query', async () => {
    await takeAway('tokens');
    const list = await send(app, 'GET', '/user?search=ada&limit=5&limit=6', { token: caller.jwt });
    const one = await crashing({}, '?dry_run=true&character_name=other');
    await putBack('tokens');
    expect((await report(list)).request.params).toEqual({ search: 'ada', limit: ['5', '6'] });
    expect((await report(one)).request.params).toEqual({ character_name: caller.name, dry_run: 'true' });
  });

  it('D50: parameters that the database cannot store are stored without what it cannot', async () => {
    await takeAway('tokens');
    const answer = await send(app, 'GET', '/user/a%00b?c%00d=e%00f&c=g', { token: caller.jwt });
    await putBack('tokens');
    expect(answer.json).toHaveProperty('crash_report_id');
    expect((await report(answer)).request.params).toEqual({ character_name: 'ab', cd: 'ef', c: 'g' });
  });

  it('D14: who is demoted meanwhile deletes no report, and has no job run', async () => {
    await takeAway('standing_grants');
    const { id } = await report(await crashing());
    const lowered = await callerAt(app, { id: 2_120_000_010, level: 10 });
    const demote = 'update users set clearance_level = 9 where character_id = $1';
    const again = () =>
      app.db
        .updateTable('users')
        .set({ clearance_level: 10 })
        .where('character_id', '=', 2_120_000_010)
        .execute();
    for (const work of [
      () => lowered.crash.delete({ params: { crash_report_id: id } }),
      () => lowered.system.runJob({ params: { job_id: 'maintenance' }, query: { force: true } }),
    ]) {
      expect((await meanwhile(app, demote, [2_120_000_010], async () => work())).status).toBe(403);
      await again();
    }
    expect((await app.client(app.root).crash.get({ params: { crash_report_id: id } })).status).toBe(200);
  });

  it('D50: at most 500 of one hour are stored, the others are only logged', async () => {
    await takeAway('standing_grants');
    await sql`insert into crash_reports (id, timestamp, request, trace)
      select lpad(n::text, 24, '0'), ${app.clock.now()}, '{}', 'Error' from generate_series(1, 499) n`.execute(
      app.db,
    );
    expect((await crashing()).json).toHaveProperty('crash_report_id');
    const logged = app.logged.length;
    expect((await crashing()).json).toEqual({ detail: 'Internal Server Error', code: 'internal_error' });
    expect(app.logged.slice(logged).join()).toMatch(/relation .+standing_grants.+ does not exist/);
    app.clock.advance(3_600_001);
    expect((await crashing()).json).toHaveProperty('crash_report_id');
  });

  it('without an authenticated caller the token is null', async () => {
    await takeAway('tokens');
    const answer = await crashing();
    expect(answer.status).toBe(500);
    await putBack('tokens');
    expect((await report(answer)).token).toBeNull();
    const list = await app.client(app.root).crash.list();
    expect(list).toMatchObject({ status: 200, body: [{ id: answer.json.crash_report_id, user: null }] });
  });

  it('when no report can be stored the answer is a 500 nevertheless, and both errors are logged', async () => {
    await takeAway('standing_grants');
    await takeAway('crash_reports');
    const before = app.logged.length;
    const answer = await crashing();
    await putBack('crash_reports');
    expect(answer).toMatchObject({ status: 500, json: { detail: 'Internal Server Error' } });
    const log = app.logged.slice(before).join('\n');
    expect(log).toContain('relation \\"standing_grants\\" does not exist');
    expect(log).toContain('relation \\"crash_reports\\" does not exist');
  });

  it('the service continues to work', async () => {
    await takeAway('standing_grants');
    expect(
      (await Promise.all(Array.from({ length: 16 }, () => crashing()))).map(({ status }) => status),
    ).toEqual(Array(16).fill(500));
    await sql.raw('alter table standing_grants_away rename to standing_grants').execute(app.db);
    expect((await crashing()).status).toBe(200);
  });

  it('D8: a change that others overtake each time it is tried is a 503, and no crash', async () => {
    const overtake = `create function overtake() returns trigger language plpgsql as $$
      begin raise exception 'deadlock detected' using errcode = '40P01'; end $$`;
    await sql.raw(overtake).execute(app.db);
    await sql
      .raw(`create trigger overtake before insert on coalitions for each row execute function overtake()`)
      .execute(app.db);
    const body = { coalition_name: 'Overtaken', ticker: 'O' };
    const answer = await send(app, 'POST', '/coalition', { token: app.root, body });
    await sql.raw('drop function overtake cascade').execute(app.db);
    expect(answer).toMatchObject({ status: 503, json: { code: 'database_unavailable' } });
    expect(answer.headers['retry-after']).toBe('5');
    expect(await app.db.selectFrom('crash_reports').selectAll().execute()).toEqual([]);
    expect(app.logged.join('\n')).toContain('others overtook a transaction each time that it was tried');
  });

  it('D8: a statement that takes longer than it may is a 503, and told once a minute', async () => {
    const cancel = `create function cancel() returns trigger language plpgsql as $$
      begin raise exception 'canceling statement due to statement timeout' using errcode = '57014'; end $$`;
    await sql.raw(cancel).execute(app.db);
    await sql
      .raw('create trigger cancel before insert on coalitions for each row execute function cancel()')
      .execute(app.db);
    const body = { coalition_name: 'Overdue', ticker: 'O' };
    const answers = [1, 2].map(() => send(app, 'POST', '/coalition', { token: app.root, body }));
    for (const { status, json, headers } of await Promise.all(answers)) {
      const detail = 'The database takes too long for this at the moment.';
      expect({ status, json }).toEqual({ status: 503, json: { detail, code: 'database_unavailable' } });
      expect(headers['retry-after']).toBe('5');
    }
    await sql.raw('drop function cancel cascade').execute(app.db);
    expect(await app.db.selectFrom('crash_reports').selectAll().execute()).toEqual([]);
    const lines = app.logged.filter((line) => line.includes('a statement took longer than it may'));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: 'error',
        err: expect.objectContaining({ code: '57014' }),
        request_id: expect.any(String),
        untold: 0,
      }),
    ]);
    expect(lines.join()).not.toContain(body.coalition_name);
  });
});

describe('D50: what is redacted before a report is stored', () => {
  const canary = 'c4naryCanaryC4nary';

  it('the token, the Authorization header, cookies and other credentials', async () => {
    await takeAway('standing_grants');
    const stored = await report(
      await crashing({
        headers: {
          cookie: `session=${canary}1`,
          'proxy-authorization': `Basic ${canary}2`,
          'x-api-key': `${canary}3`,
          'x-auth-token': `${canary}4`,
          referer: `https://fleet.example/cb?user_token=${caller.jwt}&state_code=${canary}5`,
          'x-note': `see Bearer ${canary}6 and https://ada:${canary}7@fleet.example/`,
          accept: 'text/plain',
        },
      }),
    );
    expect(stored.request.headers).toMatchObject({
      authorization: '**********',
      cookie: '**********',
      'proxy-authorization': '**********',
      accept: 'text/plain',
    });
    await expectNoneKept(canary, ...caller.jwt.split('.'));
  });

  /** Reports of requests with these queries, which crash before the query is validated. */
  async function crashedWith(queries: readonly string[]): Promise<CrashReport[]> {
    await takeAway('tokens');
    const answers = await Promise.all(queries.map((query) => crashing({}, query)));
    await putBack('tokens');
    return Promise.all(answers.map(report));
  }

  it.each([
    ...[
      'token',
      'access_token',
      'refresh_token',
      'user_token',
      'state_code',
      'state',
      'code',
      'client_secret',
    ],
    ...['password', 'api_key', 'code_verifier', 'TOKEN', 'user%5Ftoken', 'x[token]', 'a=1&code'],
  ])('the secret query parameter %s', async (name) => {
    const [stored] = await crashedWith([`?page=7&${name}=${canary}&last=9`]);
    expect(stored?.request.url).toContain('page=7');
    expect(stored?.request.url).toContain('last=9');
    expect(stored?.request.params).toMatchObject({ page: '7', last: '9' });
    await expectNoneKept(canary);
  });

  it('a token anywhere in the URL: in the path, in a URL within the query, behind another letter', async () => {
    const [head, payload] = caller.jwt.split('.') as [string, string];
    await crashedWith([
      `?next=${encodeURIComponent(`https://fleet.example/?x=${caller.jwt}`)}`,
      `?x${caller.jwt}`,
      `?q=_${caller.jwt}`,
      `?${caller.jwt}=yes`,
      `?q=1&q=${caller.jwt}`,
      `?q=${head}`,
      `?q=${caller.jwt.replaceAll('.', '%2E')}`,
    ]);
    await takeAway('standing_grants');
    await send(app, 'GET', `/user/${head}.${payload}`, { token: caller.jwt });
    await expectNoneKept(head, payload);
  });

  it('code and state of a sign-in that crashed; its answer is a page', async () => {
    await takeAway('state_codes');
    const answer = await send(app, 'GET', `/callback/ext?code=${canary}1&state=${canary}2`);
    expect(answer.status).toBe(500);
    expect(answer.headers['content-type']).toContain('text/html');
    expect(answer.text).not.toContain(canary);
    const list = await app.client(app.root).crash.list();
    expect(list).toMatchObject({
      status: 200,
      body: [{ url: '/callback/ext?code=**********&state=**********' }],
    });
    await expectNoneKept(canary);
  });
});

describe('GET and DELETE /crash', () => {
  async function store(number: number, at: Date): Promise<string> {
    const id = objectId(at);
    const request = { headers: {}, method: 'GET', params: {}, url: `/user/${number}` };
    const row = { id, timestamp: at, request: JSON.stringify(request), token: null, trace: 'Error' };
    await app.db.insertInto('crash_reports').values(row).execute();
    return id;
  }

  it('lists the 50 newest, newest first, as id, timestamp, url and user', async () => {
    const ids: string[] = [];
    for (let number = 0; number < 53; number += 1) {
      ids.push(await store(number, new Date(Date.UTC(2026, 0, 1, 0, 0, number))));
    }
    const list = await ok(app.client(app.root).crash.list());
    expect(list.map(({ id }) => id)).toEqual(ids.slice(3).reverse());
    expect(list[0]).toEqual({
      id: ids[52],
      timestamp: '2026-01-01T00:00:52.000Z',
      url: '/user/52',
      user: null,
    });
  });

  it('names the owner of the token that failed', async () => {
    await takeAway('standing_grants');
    await crashing();
    const list = await app.client(app.root).crash.list();
    expect(list).toMatchObject({
      body: [{ user: { character_id: caller.id, character_name: caller.name } }],
    });
  });

  it('deletes one, once', async () => {
    const [kept, gone] = [await store(1, new Date()), await store(2, new Date())];
    const { crash } = app.client(app.root);
    const params = { crash_report_id: gone.toUpperCase() };
    expect(await crash.delete({ params })).toMatchObject({ status: 200, body: undefined });
    const again = { status: 404, body: { detail: `Could not find crash report ${gone}` } };
    expect(await crash.delete({ params })).toMatchObject(again);
    expect(await crash.get({ params })).toMatchObject(again);
    expect((await crash.get({ params: { crash_report_id: kept } })).status).toBe(200);
  });

  it('D15: needs level 10', async () => {
    const id = await store(1, new Date());
    const nine = await addMember(app, 2_120_000_002, 9);
    const { crash } = app.client(nine.jwt);
    const params = { crash_report_id: id };
    for (const answer of [crash.list(), crash.get({ params }), crash.delete({ params })]) {
      expect((await answer).status).toBe(403);
    }
  });
});
