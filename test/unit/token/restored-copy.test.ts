import { decodeJwt } from 'jose';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { manageTokens } from '../../../server/cli/manage-tokens.ts';
import { readSettings, requireComplete } from '../../../server/config/settings.ts';
import { openDatabase } from '../../../server/database/open.ts';
import { loadSigningKeys } from '../../../server/keys/signing-keys.ts';
import { announceService } from '../../../server/process/running-service.queries.ts';
import { systemClock } from '../../../server/shared/clock.ts';
import { onDatabase, productionEnv } from '../../harness/production.ts';

it('D24: a token printed on a restored copy is for the copy, not for the service that was dumped', async () => {
  await onDatabase('migrated', async (url) => {
    const env = { ...(await productionEnv()), BASE_URL: 'https://copy.example', DATABASE_URL: url };
    const settings = requireComplete(readSettings(env));
    const log = pino({ level: 'silent' });
    const { db, close } = await openDatabase(url, log);
    try {
      const keys = await loadSigningKeys(settings.tokenSigningKeys, settings.baseUrl, systemClock);
      await announceService(db, {
        process: '00000000-0000-4000-8000-000000000000',
        base_url: 'https://dumped.example',
        key_ids: [...keys.kids],
        started_on: new Date(),
      });
      const printed = await manageTokens(settings, log, {});
      expect(decodeJwt(printed.trim()).iss).toBe('https://copy.example');
    } finally {
      await close();
    }
  });
});
