import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../server/app.ts';
import type { CompleteSettings } from '../../server/config/settings.ts';
import type { EncryptionKey } from '../../server/keys/formats.ts';
import { createLog } from '../../server/observability/log.ts';
import { addGrants } from '../fixtures/grants.ts';
import { newSigningKey, startTestApp, type TestApp } from '../harness/app.ts';

const SCOPE = 'ext-wallet.read_character_wallet.v1';

describe('D61: a start that lacks a key which stored grants were encrypted with', () => {
  let app: TestApp;
  let own: EncryptionKey;
  const other: EncryptionKey = { id: 'other', key: randomBytes(32) };
  const logged: string[] = [];

  beforeAll(async () => {
    app = await startTestApp();
    [own] = app.app.services.settings.encryptionKeys as [EncryptionKey];
    await addGrants(app, 3, [SCOPE]);
    const [, , spoilt] = await addGrants(app, 3, [SCOPE], 3);
    // Of an invalid one nobody needs the key.
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

  it('starts with the key in any place', async () => {
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

  it('is refused when the key has its id, but is another one', async () => {
    await expect(start([{ id: own.id, key: randomBytes(32) }])).rejects.toThrow(
      `  - key ${own.id}, not the present one of that name: 5 grant(s)\n`,
    );
  });

  it('is told at once what lacks of the signing keys', async () => {
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

  it('gives the grants up when it is forced, so that tracking tells the truth', async () => {
    await start([other], { forceGrantLoss: true });
    expect(await states()).toEqual(
      [...Array(5).fill('false its encryption key was removed'), 'false null'].sort(),
    );
    expect(logged.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 'warn', keys: [own.id], grants: 5 }),
    ]);
    await start([other]);
  });

  it('is not disturbed by what no vault wrote', async () => {
    await sql`update grants set valid = true, refresh_token = '\\x01'`.execute(app.db);
    await expect(start([other])).rejects.toThrow('  - key : 6 grant(s)');
  });
});
