import pg from 'pg';
import { expect, it } from 'vitest';
import { readSettings, requireComplete } from '../../../server/config/settings.ts';
import { connect } from '../../../server/database/connection.ts';
import { describeBacklog } from '../../../server/doctor/backlog.ts';
import { examine } from '../../../server/doctor/doctor.ts';
import type { Finding } from '../../../server/doctor/finding.ts';
import { createLog } from '../../../server/observability/log.ts';
import { KEPT_FOR_SERVICE } from '../../../server/provider/error-budget.ts';
import { systemClock } from '../../../server/shared/clock.ts';
import { onDatabase, productionEnv } from '../../harness/production.ts';

async function examined(url: string): Promise<Finding[]> {
  const settings = requireComplete(readSettings({ ...(await productionEnv()), DATABASE_URL: url }));
  const { db, close } = connect({ url, log: createLog('silent'), poolSize: 1 });
  try {
    const findings: Finding[] = [];
    for await (const finding of examine(db, settings, systemClock)) findings.push(finding);
    return findings;
  } finally {
    await close();
  }
}

it('the doctor looks at everything else, too, where the clocks differ or the database refuses writes', async () => {
  await onDatabase('migrated', async (databaseUrl) => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(
      `create function public.clock_timestamp() returns timestamptz language sql as $$select now() + '1 hour'$$`,
    );
    await client.end();
    const url = new URL(databaseUrl);
    url.searchParams.set('options', '-c search_path=public,pg_catalog -c default_transaction_read_only=on');
    const found = new Map((await examined(url.href)).map(({ about, state }) => [about, state]));
    expect(found.get('clocks')).toBe('bad');
    expect(found.get('writes')).toBe('bad');
    for (const about of ['signing keys', 'encryption keys', 'jobs', 'webhooks', 'events'])
      expect([...found.keys()]).toContain(about);
  });
});

it('D33: the doctor tells when callers have used up their part of the error limit, not only when more is used', () => {
  const limit = (provider_errors_left: number) =>
    describeBacklog({ sync_age: 60, age: 900_000, provider_errors_left, jobs: [], crashes: 0 }).find(
      ({ about }) => about === "the game's error limit",
    );
  expect(limit(KEPT_FOR_SERVICE)).toMatchObject({ state: 'mind' });
  expect(limit(KEPT_FOR_SERVICE + 1)).toMatchObject({ state: 'good' });
});

it('D63, D72: the doctor tells of the sync, held changes and crash reports, as GET /system/status does', async () => {
  await onDatabase('migrated', async (databaseUrl) => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(`
      update users set created_on = now() - interval '1 day' where character_id = 0;
      insert into held_changes (job_id, fingerprint, runs, counted_on) values ('sync-users', 'x', 2, now());
      insert into crash_reports (id, request, timestamp, trace)
        values ('66f2a1b3c4d5e6f708192a3b', '{"url":"/"}', now(), 'Error')`);
    await client.end();
    const found = new Map((await examined(databaseUrl)).map((finding) => [finding.about, finding]));
    expect(found.get('sync')).toMatchObject({ state: 'bad', says: 'no run was whole yet' });
    expect(found.get('held changes')).toMatchObject({ state: 'mind' });
    expect(found.get('crash reports')).toMatchObject({ state: 'mind', says: '1 within a day' });
    expect(found.get("the game's error limit")).toMatchObject({ state: 'good' });
  });
});
