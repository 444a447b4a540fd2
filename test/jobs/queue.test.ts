import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestApp, type TestApp } from '../harness/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(() => app.app.parts.queue.boss.clearStorage());
afterAll(() => app.stop());

describe('a job that is to wait', () => {
  it.each([-2, 0, 2])('does so however wrong the clock of the process is: by %s hours', async (hours) => {
    const { queue, db } = app.app.parts;
    const payload = { token: randomUUID(), state_code: 'code', attempt: 1 };
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 });
    try {
      await queue.send(db, 'deliver-sign-in', payload, { startIn: 300 });
      await queue.send(db, 'revoke-grant', { grant_id: randomUUID(), refresh_token: '' });
    } finally {
      vi.useRealTimers();
    }
    const { rows } = await sql<{ name: string; seconds: number }>`
      select name, round(extract(epoch from start_after - created_on))::int as seconds from pgboss.job
      where name in ('deliver-sign-in', 'revoke-grant') order by name`.execute(db);
    expect(rows).toEqual([
      { name: 'deliver-sign-in', seconds: 300 },
      { name: 'revoke-grant', seconds: 0 },
    ]);
  });
});

describe('D52: a run that is asked for', () => {
  it('is another one when the one that waited has just begun', async () => {
    const { queue, db } = app.app.parts;
    // What the queue says when a run waits, which is gone at the next look.
    const send = vi.spyOn(queue.boss, 'send').mockResolvedValueOnce(null);
    const id = await queue.run(db, 'sync-users', { force: false });
    expect(send).toHaveBeenCalledTimes(2);
    expect(await queue.boss.getJobById('sync-users', id)).toMatchObject({ state: 'created' });
    send.mockRestore();
  });
});
