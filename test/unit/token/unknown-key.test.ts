import { generateKeyPairSync } from 'node:crypto';
import pino from 'pino';
import { expect, it } from 'vitest';
import { manageTokens } from '../../../server/cli/manage-tokens.ts';
import { readSettings, requireComplete } from '../../../server/config/settings.ts';
import { openDatabase } from '../../../server/database/open.ts';
import { announceService } from '../../../server/process/running-service.queries.ts';
import { onDatabase, productionEnv } from '../../harness/production.ts';

const jwk = (kid: string) => ({
  ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }),
  kid,
});

it('D24: no token is signed with a key that the running service does not know yet', async () => {
  await onDatabase('migrated', async (url) => {
    const [former, next] = [jwk('former'), jwk('next')];
    const log = pino({ level: 'silent' });
    const env = { ...(await productionEnv()), DATABASE_URL: url };
    const settings = (...keys: object[]) =>
      requireComplete(readSettings({ ...env, TOKEN_SIGNING_KEYS: JSON.stringify({ keys }) }));
    const { db, close } = await openDatabase(url, log);
    try {
      await announceService(db, {
        process: '00000000-0000-4000-8000-000000000000',
        base_url: settings(former).baseUrl,
        key_ids: ['former'],
        started_on: new Date(),
      });
      const refusal = 'does not know the signing key next';
      await expect(manageTokens(settings(next, former), log, {})).rejects.toThrow(refusal);
      expect(await manageTokens(settings(former, next), log, {})).toMatch(/^ey/);
      const { uuid } = await db.selectFrom('tokens').select('uuid').executeTakeFirstOrThrow();
      await expect(manageTokens(settings(next, former), log, { reissue: uuid })).rejects.toThrow(refusal);
      // Nothing is signed for these.
      expect(await manageTokens(settings(next, former), log, { list: true })).toContain(uuid);
      await manageTokens(settings(next, former), log, { revoke: uuid });
    } finally {
      await close();
    }
  });
});
