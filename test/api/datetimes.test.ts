import { afterAll, beforeAll, expect, it } from 'vitest';
import { addHome, addMember, HOME } from '../fixtures/users.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { onServer } from '../harness/postgres.ts';

let app: TestApp;

beforeAll(async () => {
  // A database with a time zone nine hours ahead, so that reading times without their zone gives wrong ones.
  app = await startTestApp({ databaseBy: inTokyo });
  await addHome(app);
});
afterAll(() => app.stop());

async function inTokyo(databaseUrl: string): Promise<string> {
  const name = new URL(databaseUrl).pathname.slice(1);
  await onServer(databaseUrl, `alter database ${name} set timezone = 'Asia/Tokyo'`);
  return databaseUrl;
}

const DATETIME_FIELD = /(_on|_time|_datetime|timestamp)$/;

/** Every time in an answer, by its path. */
function moments(value: unknown, at = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return DATETIME_FIELD.test(at) ? [[at, value]] : [];
  return Object.entries(value).flatMap(([key, inner]) => moments(inner, `${at}.${key}`));
}

it('D10: every time is ISO 8601 in UTC with milliseconds and Z, whatever the time zone of the database', async () => {
  const since = app.clock.now().getTime();
  const root = app.client(app.root);
  const group = await root.group.create({ body: { group_name: 'Scouts' } });
  const coalition = await root.coalition.create({ body: { coalition_name: 'Pact', ticker: 'PACT' } });
  const member = await addMember(app, 2_120_000_001);
  const answers = [
    group.body,
    coalition.body,
    ...(await Promise.all(
      [
        root.token.current(),
        root.user.get({ params: { character_name: member.name } }),
        root.corporation.get({ params: { corporation_id: HOME.corporation } }),
        root.alliance.get({ params: { alliance_id: HOME.alliance } }),
        root.system.jobs(),
        app.client(member.jwt).token.current(),
      ].map(async (answer) => (await answer).body as unknown),
    )),
  ];
  const found = moments(answers).filter(([, moment]) => moment !== null);
  for (const [at, moment] of found) {
    expect(moment, at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    if (!/_time$|expires_on$/.test(at)) {
      expect(Math.abs(Date.parse(moment as string) - since), at).toBeLessThan(3_600_000);
    }
  }
  const names = new Set(found.map(([at]) => at.split('.').at(-1)));
  expect([...names].sort()).toEqual(['created_on', 'expires_on', 'next_run_time', 'updated_on']);
  expect(found.length).toBeGreaterThan(15);
});
