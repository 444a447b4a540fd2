import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FIRST_CHARACTER_ID } from '../../dev/world/world.ts';
import { startScheduler } from '../../jobs/scheduler.ts';
import { addGroup, addWebhook } from '../fixtures/webhooks.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { empty } from '../harness/database.ts';
import { addGrant, SKILLS } from '../harness/provider.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const DAYS = sql`interval '30 days'`;
const boss = () => app.app.services.queue.boss;

/** What the process does when it looks which jobs are due; as if pg-boss had looked for lost runs `ago`. */
async function look(ago: string): Promise<void> {
  await sql`update pgboss.version set maintained_on = now() - ${ago}::interval`.execute(app.db);
  await startScheduler(app.app.services);
}

/** Minutes from now until each run may be taken, and since it was begun, by the id of the run. */
async function runs() {
  const { rows } = await sql<{ id: string; wait: number; begun: number | null }>`
    select id, round(extract(epoch from start_after - now()) / 60)::int as wait,
      round(extract(epoch from now() - started_on) / 60)::int as begun
    from pgboss.job where name in ('sync-users', 'check-grants', 'revoke-grant', 'send-logout')`.execute(
    app.db,
  );
  return Object.fromEntries(rows.map(({ id, wait, begun }) => [id, { wait, begun }]));
}

async function send(name: string, startAfter = 0): Promise<string> {
  return (await boss().send(name, {}, { startAfter })) ?? '';
}

const isStoredLater = (id: string) =>
  sql`update pgboss.job set created_on = created_on + ${DAYS}, start_after = start_after + ${DAYS},
    started_on = started_on + ${DAYS} where id = ${id}`.execute(app.db);

describe('D52: once the clock of the database is right again that was ahead', () => {
  it('a lost run is looked for, and waiting ones are taken when they would have been', async () => {
    await empty(app.db, 'pgboss.job');
    const lost = await send('sync-users');
    await boss().fetch('sync-users');
    const [waiting, delayed] = [await send('check-grants'), await send('revoke-grant', 3600)];
    for (const id of [lost, waiting, delayed]) await isStoredLater(id);
    const retried = await send('send-logout');
    await boss().fetch('send-logout');
    await boss().fail('send-logout', retried);
    await sql`update pgboss.job set start_after = now() + ${DAYS} where id = ${retried}`.execute(app.db);
    const other = await send('revoke-grant', 7200);

    const month = 30 * 24 * 60;
    const before = await runs();
    expect(before[waiting]?.wait).toBe(month);
    await look('1 minute');
    expect(await runs()).toEqual(before);

    await look('-30 days');
    expect(await runs()).toEqual({
      [lost]: { wait: 0, begun: 0 },
      [waiting]: { wait: 0, begun: null },
      [delayed]: { wait: 60, begun: null },
      [retried]: { wait: 0, begun: 0 },
      [other]: { wait: 120, begun: null },
    });
    const { rows } = await sql`select from pgboss.version where maintained_on is null`.execute(app.db);
    expect(rows).toHaveLength(1);
    expect(app.logged).toContainEqual(expect.stringContaining("the database's clock was ahead"));
  });

  it('D34: a refresh that was cut off then counts as cut off, and no other one is kept from its grant', async () => {
    await addGrant(app, FIRST_CHARACTER_ID, [SKILLS]);
    await sql`update grants set refresh_started_on = now() + ${DAYS}`.execute(app.db);
    await look('-30 days');
    const { rows } = await sql`select from grants where refresh_started_on <= now()`.execute(app.db);
    expect(rows).toHaveLength(1);
  });

  it('D93: webhooks are paused no more, and deliveries tried that wait; but not one that a process has in hand', async () => {
    const { webhook_id } = await addWebhook(app, { callback: 'http://127.0.0.1:9/' });
    await addGroup(app, 'Scouts');
    const add = (until: string) =>
      sql`insert into webhook_deliveries (webhook_id, delivery_id, type, position, state, next_try_on, claimed_until, created_on)
        values (${webhook_id}, gen_random_uuid(), 'webhook.test', null, 'waiting', now() + ${until}::interval, null, now())`.execute(
        app.db,
      );
    await add('30 days');
    await add('30 seconds');
    await sql`update webhooks set paused_until = now() + ${DAYS}`.execute(app.db);
    await look('-30 days');
    const { rows } = await sql<{ due: boolean }>`
      select next_try_on <= now() as due from webhook_deliveries order by 1`.execute(app.db);
    expect(rows).toEqual([{ due: false }, { due: true }]);
    const paused = app.db.selectFrom('webhooks').select('webhook_id').where('paused_until', 'is not', null);
    expect(await paused.execute()).toEqual([]);
  });
});
