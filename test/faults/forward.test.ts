import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { indexMail } from '../../server/history/mailbox.ts';
import { letIn } from '../fixtures/registry.ts';
import { addHome } from '../fixtures/users.ts';
import { type SignedIn, startTestApp, type TestApp } from '../harness/app.ts';
import { forgetProvider } from '../harness/provider.ts';

const MEMBER = 2_112_000_023;
const LIMITS = { milliseconds: 15_000, bytes: 256 * 1024 };
const SCOPES = [
  ...['publicData', 'ext-mail.read_mail.v1', 'ext-location.read_location.v1'],
  ...['ext-location.read_online.v1', 'ext-location.read_ship_type.v1'],
];

let app: TestApp;
let person: SignedIn;
let mail_id: number;
beforeAll(async () => {
  app = await startTestApp({ providerLimits: LIMITS });
  await letIn(app, { alliances: [99_000_001] });
  await addHome(app);
  person = await app.signIn(MEMBER, { scopes: SCOPES });
  await app.app.services.document.current();
  await indexMail(app.app.services, MEMBER);
  // As before the job has fetched the texts.
  await app.db.updateTable('mails').set({ body: null }).execute();
  await app.db.updateTable('mailbox_mails').set({ wants_body: true }).execute();
  const mails = await person.client.history.mails({ params: { character_id: MEMBER } });
  mail_id = mails.status === 200 ? (mails.body[0]?.mail_id ?? 0) : 0;
});
afterEach(async () => {
  LIMITS.milliseconds = 15_000;
  app.provider.reset();
  await forgetProvider(app);
});
afterAll(() => app.stop());

const esi_path = `characters/${MEMBER}/location`;
/** Every operation that sends requests to the game while its caller waits. */
const ASKING: readonly [string, () => Promise<{ readonly status: number; readonly body: unknown }>][] = [
  ['POST /ext', () => person.client.ext.forward({ params: { esi_path } })],
  ['GET /ext', () => person.client.ext.forwardGet({ params: { esi_path } })],
  ['a location now', () => person.client.history.storeLocation({ params: { character_id: MEMBER } })],
  ['a mail', () => person.client.history.mail({ params: { character_id: MEMBER, mail_id } })],
];

describe.each(ASKING)('D30: %s', (_, ask) => {
  it('is a 504 when the game does not answer', async () => {
    app.provider.faults.add('api', { kind: 'hang' });
    LIMITS.milliseconds = 700;
    expect(await ask()).toMatchObject({ status: 504, body: { code: 'provider_timeout' } });
  });

  it('is a 502 when the game fails', async () => {
    app.provider.faults.add('api', { kind: 'status', status: 500 });
    // A pending request of the previous test would be shared with this one.
    await expect.poll(ask).toMatchObject({ status: 502, body: { code: 'provider_unavailable' } });
  });
});
