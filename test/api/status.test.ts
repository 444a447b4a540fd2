import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addSchedules, recordRun } from '../../jobs/schedules.queries.ts';
import { addHome, addMember, addUser, HOME, makeToken, uuidOf } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { empty } from '../harness/database.ts';

let app: TestApp;
let administrator: string;
beforeAll(async () => {
  app = await startTestApp();
  await addUser(app, { id: 9_001, level: 9 });
  await addHome(app);
  administrator = (await makeToken(app, 'per', 9_001, uuidOf(app.root))).jwt;
});
afterAll(() => app.stop());

async function status() {
  const answer = await app.client(administrator).system.status();
  if (answer.status !== 200) throw new Error(`GET /system/status answers ${answer.status}`);
  return answer.body;
}
const finding = async (about: string) => (await status()).findings.find((each) => each.about === about);

/** Stores a successful run of every job at the present time. */
beforeEach(async () => {
  const now = app.clock.now();
  await sql`insert into schedules (job_id, ran_on, complete_on) values ('sync-users', ${now}, ${now})
    on conflict (job_id) do update set ran_on = ${now}, complete_on = ${now}`.execute(app.db);
  await empty(app.db, 'held_changes', 'crash_reports', 'provider_error_budget');
});

describe('D72: GET /system/status', () => {
  it('is for level 9', async () => {
    const { jwt } = await addMember(app, 8_001, 8);
    expect((await app.client(jwt).system.status()).status).toBe(403);
  });

  it('counts members, guests and refresh tokens, and lists the jobs by name', async () => {
    const before = await status();
    await addUser(app, { id: 7_101, level: 0 });
    await addUser(app, { id: 7_102, level: -1, corporation: HOME.corporation });
    await sql`insert into grants (grant_id, character_id, scopes, refresh_token, valid)
      values (gen_random_uuid(), 7101, '{publicData}', '', true), (gen_random_uuid(), 7101, '{}', '', false)`.execute(
      app.db,
    );
    const after = await status();
    expect(after.users).toEqual({ members: before.users.members + 1, guests: before.users.guests + 1 });
    expect(after.refresh_tokens).toEqual({
      valid: before.refresh_tokens.valid + 1,
      invalid: before.refresh_tokens.invalid + 1,
    });
    const names = after.jobs.map(({ job_id }) => job_id);
    expect(names).toContain('sync-users');
    expect(names).toEqual([...names].sort());
    expect(after.synced_on).toBe(app.clock.now().toISOString());
  });

  it('reports a sync that is two hours late with advice, and the state is bad', async () => {
    expect(await finding('sync')).toMatchObject({ state: 'good', advice: null });
    await sql`update schedules set complete_on = ${new Date(app.clock.now().getTime() - 7_300_000)}`.execute(
      app.db,
    );
    expect(await finding('sync')).toMatchObject({
      state: 'bad',
      says: 'the last whole run is 122 minutes ago',
      advice: expect.stringMatching(/worker running.*log of sync-users says what fails/),
    });
    expect((await status()).state).toBe('bad');
  });

  it('reports that no run was whole, which is bad from two hours on', async () => {
    const made = (seconds: number) =>
      sql`update users set created_on = ${new Date(app.clock.now().getTime() - seconds * 1000)}
        where character_id = 0`.execute(app.db);
    await sql`update schedules set complete_on = null`.execute(app.db);
    await made(7_100);
    expect(await finding('sync')).toMatchObject({
      state: 'mind',
      says: 'no run was whole yet',
    });
    await made(7_300);
    expect(await finding('sync')).toMatchObject({ state: 'bad', advice: expect.any(String) });
  });

  it('reports held changes (D63), crash reports, and a low rest of the provider’s error limit', async () => {
    const now = app.clock.now();
    expect(await finding('crash reports')).toMatchObject({ state: 'good' });
    await sql`insert into held_changes (job_id, fingerprint, runs, counted_on) values ('sync-users', 'x', 2, ${now})`.execute(
      app.db,
    );
    await sql`insert into crash_reports (id, request, timestamp, trace)
      values ('66f2a1b3c4d5e6f708192a3b', '{"url":"/"}', ${now}, 'Error')`.execute(app.db);
    await sql`insert into provider_error_budget (ends_on, remaining)
      values (${new Date(now.getTime() + 30_000)}, 12)`.execute(app.db);
    expect(await finding('held changes')).toMatchObject({
      state: 'mind',
      says: expect.stringContaining('sync-users'),
    });
    expect(await finding('crash reports')).toMatchObject({ state: 'mind', says: '1 within a day' });
    expect(await finding("the game's error limit")).toMatchObject({
      state: 'mind',
      says: '12 left in this minute',
    });
    expect(await status()).toMatchObject({ crash_reports: 1, provider_errors_left: 12 });
  });

  it('D93: reports webhooks that fail at every delivery, are paused for long, or were disabled for it', async () => {
    const now = app.clock.now();
    const ago = (days: number) => new Date(now.getTime() - days * 86_400_000);
    expect(await finding('webhooks')).toMatchObject({ state: 'good', advice: null });
    const add = (
      id: string,
      failures: number,
      because: string | null,
      on: Date | null,
      paused: Date | null = null,
    ) =>
      sql`
      insert into webhooks (webhook_id, app_token, url, types, ordered, secret, position, failures, disabled_on, disabled_because, paused_until)
      values (${id.repeat(24)}, ${uuidOf(app.root)}, 'https://bot.example', '{*}', false, '', 0, ${failures}, ${on}, ${because}, ${paused})
    `.execute(app.db);
    await add('1', 4, null, null);
    await add('2', 9, 'asked', now);
    await add('3', 9, 'undeliverable', ago(8));
    await add('7', 0, null, null, now);
    await add('8', 0, 'asked', now, ago(-1));
    expect(await finding('webhooks')).toMatchObject({ state: 'good' });
    await add('4', 5, null, null);
    await add('5', 9, 'undeliverable', ago(6));
    await add('6', 0, 'not_allowed', ago(1));
    await add('9', 1, null, null, ago(-1));
    expect(await finding('webhooks')).toMatchObject({
      state: 'mind',
      says: '2 disabled within a week, 1 of which every delivery fails, 1 whose receiver asked for a pause',
      advice: expect.stringContaining('/webhook'),
    });
    await empty(app.db, 'webhooks');
  });

  it('reports a database that a later release has migrated, on which this one does not start any more', async () => {
    expect(await finding('migrations')).toMatchObject({ state: 'good', says: 'all there' });
    await sql`insert into kysely_migration values ('9999_later', 'now')`.execute(app.db);
    expect(await finding('migrations')).toMatchObject({
      state: 'bad',
      says: '1 of a later release (9999_later …)',
      advice: expect.stringContaining('upgrade'),
    });
    await sql`delete from kysely_migration where name = '9999_later'`.execute(app.db);
  });

  it('D52: tells no last run of a job that has not run yet, and its time once it has', async () => {
    const job = 'note-compliance';
    const ran = async () => (await status()).jobs.find(({ job_id }) => job_id === job)?.ran_on;
    await addSchedules(app.db, [job], app.clock.now());
    expect(await ran()).toBeNull();
    const now = app.clock.now();
    await recordRun(app.db, job, now);
    expect(await ran()).toBe(now.toISOString());
    // Another worker starts.
    await addSchedules(app.db, [job], app.clock.now());
    expect(await ran()).toBe(now.toISOString());
    await app.db.deleteFrom('schedules').where('job_id', '=', job).execute();
  });

  it('counts waiting runs', async () => {
    const root = app.client(app.root);
    expect((await root.system.runJob({ params: { job_id: 'follow-names' } })).status).toBe(200);
    const job = (await status()).jobs.find(({ job_id }) => job_id === 'follow-names');
    expect(job).toMatchObject({ waiting: 1, failed: 0, ran_on: null });
  });

  it('does not count a run that waits for the one before it, which no worker could take', async () => {
    await sql`update pgboss.job set state = 'active', started_on = now() where name = 'follow-names'`.execute(
      app.db,
    );
    expect((await app.client(app.root).system.runJob({ params: { job_id: 'follow-names' } })).status).toBe(
      200,
    );
    const job = (await status()).jobs.find(({ job_id }) => job_id === 'follow-names');
    expect(job).toMatchObject({ waiting: 0 });
    const { rows } = await sql<{ state: string }>`
      select state::text from pgboss.job where name = 'follow-names' order by state`.execute(app.db);
    expect(rows.map(({ state }) => state)).toEqual(['active', 'created']);
  });
});
