import type { Account } from 'oidc-provider';
import { type AccountRow, findAccount } from '../../../server/oidc/account.queries.ts';
import { accountOf, CLAIMS } from '../../../server/oidc/claims.ts';
import { findClient } from '../../../server/oidc/client.queries.ts';
import { findArtifact, findSession } from '../../../server/session/artifacts.queries.ts';
import { digestOf } from '../../../server/shared/digest.ts';
import { ACCESS_TOKEN, CLIENT, GRANT, SESSION, SOMEBODY } from '../relying-party.ts';
import type { Scenario } from '../scenario.ts';

const SETTINGS = {
  extApi: { imageUrl: 'https://images.evetech.net' },
  oidcEmailDomain: undefined,
} as Parameters<typeof accountOf>[1];
const TOLD: ReadonlySet<string> = new Set([...CLAIMS.openid, ...CLAIMS.profile, ...CLAIMS.groups]);

export const userinfo: Scenario = {
  name: 'GET /oidc/userinfo',
  by: 'relying party',
  path: () => '/oidc/userinfo',
  other: {
    is: 'bare',
    async answer(record) {
      const now = new Date();
      const statements = await record(async (db) => {
        await findArtifact(db, { model: 'AccessToken', idHash: digestOf(ACCESS_TOKEN) }, now);
        await findSession(db, SESSION, now);
        await findClient(db, CLIENT);
        await findArtifact(db, { model: 'Grant', idHash: digestOf(GRANT) }, now);
        await findAccount(db, SOMEBODY, CLIENT);
      });
      return async ({ run }) => {
        let account: Account | undefined;
        for (const statement of statements) {
          const [row] = await run<AccountRow>(statement);
          if (row !== undefined && 'groups' in row) account = accountOf(row, SETTINGS);
        }
        const claims = (await account?.claims('userinfo', '', {}, [])) ?? {};
        return Object.fromEntries(Object.entries(claims).filter(([name]) => TOLD.has(name)));
      };
    },
  },
};
