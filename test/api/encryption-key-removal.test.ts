import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { createApp } from '../../server/app.ts';
import type { CompleteSettings } from '../../server/config/settings.ts';
import type { EncryptionKey } from '../../server/keys/formats.ts';
import { createVault } from '../../server/keys/vault.ts';
import { createLog } from '../../server/observability/log.ts';
import { secretBinding } from '../../server/webhook/secret.ts';
import { allEvents } from '../fixtures/events.ts';
import { addGrants } from '../fixtures/grants.ts';
import { newSigningKey, startTestApp, type TestApp } from '../harness/app.ts';

const SCOPE = 'ext-wallet.read_character_wallet.v1';

describe('D61: a start without a key that encrypted stored grants', () => {
  let app: TestApp;
  let own: EncryptionKey;
  const other: EncryptionKey = { id: 'other', key: randomBytes(32) };
  const logged: string[] = [];

  beforeAll(async () => {
    app = await startTestApp();
    [own] = app.app.services.settings.encryptionKeys as [EncryptionKey];
    await addGrants(app, 3, [SCOPE]);
    const [, , spoilt] = await addGrants(app, 3, [SCOPE], 3);
    // The key of an invalid grant is not needed.
    await app.db
      .updateTable('grants')
      .set({ valid: false })
      .where('character_id', '=', spoilt as number)
      .execute();
  });
  afterAll(() => app.stop());

  async function start(
    encryptionKeys: readonly EncryptionKey[],
    change: Partial<CompleteSettings> = {},
  ): Promise<void> {
    const log = createLog('warn', { write: (line) => logged.push(line) });
    const settings = { ...app.app.services.settings, encryptionKeys, ...change };
    const second = await createApp(settings, { log, clock: app.clock, worker: false });
    await second.close();
  }
  const states = async () =>
    (await app.db.selectFrom('grants').select(['valid', 'cause']).execute())
      .map(({ valid, cause }) => `${valid} ${cause}`)
      .sort();

  it('starts with the key at any position in the list', async () => {
    await start([own]);
    await start([other, own]);
  });

  it('is refused with the ids of the keys and the number of grants', async () => {
    await expect(start([other])).rejects.toMatchObject({
      name: 'KeysRemoved',
      message: expect.stringContaining(
        `ENCRYPTION_KEYS lacks keys that stored grants, or secrets of webhooks, were encrypted with:\n  - key ${own.id}: 5 grant(s)\n`,
      ),
    });
  });

  it('is refused with another key that has the same id', async () => {
    await expect(start([{ id: own.id, key: randomBytes(32) }])).rejects.toThrow(
      `  - key ${own.id}, not the present one of that name: 5 grant(s)\n`,
    );
  });

  it('reports missing signing keys together with missing encryption keys', async () => {
    const keys = { keys: [await newSigningKey()] } as CompleteSettings['tokenSigningKeys'];
    const refused = start([other], { tokenSigningKeys: keys });
    await expect(refused).rejects.toThrow(/TOKEN_SIGNING_KEYS lacks[\s\S]*ENCRYPTION_KEYS lacks/);
    await expect(start([other], { tokenSigningKeys: keys, forceKeyRemoval: true })).rejects.toThrow(
      /^ENCRYPTION_KEYS lacks/,
    );
  });

  it('does nothing to the grants when it is refused', async () => {
    expect(await states()).toEqual(['false null', ...Array(5).fill('true null')]);
  });

  it('invalidates the grants when it is forced, so that tracking is correct', async () => {
    await start([other], { forceGrantLoss: true });
    expect(await states()).toEqual(
      [...Array(5).fill('false its encryption key was removed'), 'false null'].sort(),
    );
    expect(logged.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 'warn', keys: [own.id], grants: 5 }),
    ]);
    const told = (await allEvents(app.db)).filter(({ type }) => type === 'grant.invalidated');
    expect(told).toHaveLength(5);
    for (const event of told) {
      expect(event).toMatchObject({
        actor: { kind: 'job' },
        changes: [{ field: 'scopes', before: [SCOPE], after: [] }],
        reason: 'its encryption key was removed',
      });
    }
    await start([other]);
  });

  it('ignores values that were not written by the vault', async () => {
    await sql`update grants set valid = true, refresh_token = '\\x01'`.execute(app.db);
    await expect(start([other])).rejects.toThrow('  - key : 6 grant(s)');
  });

  it('also disables webhooks whose secrets it encrypted, which need new ones before they can be enabled', async () => {
    await app.db.deleteFrom('grants').execute();
    const { webhook } = app.client(app.root);
    const url = 'https://receiver.example/hook';
    const { webhook_id } = await ok(webhook.create({ body: { url, types: ['group.*'] } }));
    const params = { webhook_id };
    await expect(start([other])).rejects.toThrow('  - 1 webhook(s)');
    await start([other], { forceGrantLoss: true });
    expect(await ok(webhook.get({ params }))).toMatchObject({
      enabled: false,
      disabled_because: 'undeliverable',
    });
    await start([other]);
    // This process cannot decrypt what the lost key encrypted either.
    await sql`update webhooks set secret = '\\x01'`.execute(app.db);
    const enable = () => webhook.update({ params, body: { enabled: true } });
    expect(await enable()).toMatchObject({ status: 422, body: { code: 'invalid_request' } });
    await ok(webhook.rotate({ params }));
    expect(await ok(enable())).toMatchObject({ enabled: true });
    // The secret that was lost is not signed with as the former one, so its key is not missed again.
    await start([own]);
  });

  it('D93: asks for the key of a former secret for a day, and gives up that secret alone when it is forced', async () => {
    const { webhook } = app.client(app.root);
    await app.db.deleteFrom('webhooks').execute();
    const url = 'https://receiver.example/hook';
    const { webhook_id } = await ok(webhook.create({ body: { url, types: ['group.*'] } }));
    const params = { webhook_id };
    const secret = createVault([other]).encrypt('whsec_', secretBinding(webhook_id));
    const lose = () => app.db.updateTable('webhooks').set({ secret }).execute();
    await lose();
    await ok(webhook.rotate({ params }));
    await expect(start([own])).rejects.toThrow('  - 1 webhook(s)');
    await start([own], { forceGrantLoss: true });
    await start([own]);
    expect(await ok(webhook.get({ params }))).toMatchObject({ enabled: true });
    await lose();
    await ok(webhook.rotate({ params }));
    app.clock.advance(86_400_001);
    await start([own]);
  });
});
