import { afterAll, beforeAll, expect, it } from 'vitest';
import { onAccountOf } from '../../server/event/origin.ts';
import { recordEvents } from '../../server/event/record.ts';
import { CLAIMED_FOR } from '../../server/webhook/delivery.queries.ts';
import { take } from '../../server/webhook/take.ts';
import { allSealed } from '../fixtures/events.ts';
import { addHome, addMember, addOrganizations, addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import { addWebhook } from '../fixtures/webhooks.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';

const ELSEWHERE = 98_200_001;
const BOB = 2_114_000_002;
const MATE = 2_114_000_003;
const STRANGER = 2_114_000_004;
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await addHome(app);
  await addOrganizations(app, [{ corporations: [ELSEWHERE] }]);
  await addMember(app, BOB, 0);
  await addMember(app, MATE, 1);
  await addUser(app, { id: STRANGER, corporation: ELSEWHERE });
});
afterAll(() => app.stop());

it('D94, D100: a webhook hides the cause of an unlinking at every try, as the feed does', async () => {
  const per = (await makeToken(app, 'per', MATE)).jwt;
  const { webhook_id } = await addWebhook(
    app,
    { callback: 'http://127.0.0.1:9/in' },
    { types: ['person.*'] },
    per,
  );
  const user = (id: number) => ({ type: 'user' as const, id: String(id), name: `Character ${id}` });
  const actor = {
    kind: 'user',
    character_id: STRANGER,
    token: null,
    app_token: uuidOf(app.root),
    on_behalf_of: null,
  } as const;
  await onAccountOf({ actor }, async () => {
    const now = app.clock.now();
    const [deleted = ''] = await recordEvents(
      app.db,
      [{ type: 'user.deleted', targets: [user(STRANGER)] }],
      now,
    );
    await recordEvents(
      app.db,
      [{ type: 'person.character_unlinked', targets: [user(BOB)], cause: { event_id: deleted } }],
      now,
    );
  });
  await allSealed(app.db);
  const causes = async () =>
    (await take(app.app.services, webhook_id, 100))?.parcels.map(({ body }) => JSON.parse(body).data.cause);
  expect(await causes()).toEqual([null]);
  app.clock.advance(CLAIMED_FOR);
  expect(await causes()).toEqual([null]);
});
