// Who lost access: everybody in an alliance whose refresh tokens no longer cover what is required.
//
//   npm install ./castellan-sdk-*.tgz      (not published yet: npm pack --workspace sdk in a checkout makes it)
//   CASTELLAN_URL=https://castellan.example CASTELLAN_TOKEN=… node lost-access.mjs
//
// The token is a permanent app token whose owner may read the tracking of every alliance: level 7.
import { CastellanError, createCastellan } from '@castellan/sdk';

const { CASTELLAN_URL = 'http://127.0.0.1:8080', CASTELLAN_TOKEN } = process.env;
const castellan = createCastellan({ baseUrl: CASTELLAN_URL, token: CASTELLAN_TOKEN, timeout: 30_000 });

try {
  for (const { alliance_id, alliance_name } of await castellan.alliance.list()) {
    const tracking = await castellan.alliance.tracking({ params: { alliance_id } });
    const lost = [
      ...tracking.invalid_refresh_token.map((user) => ({ ...user, why: 'no token with every scope' })),
      ...tracking.no_refresh_token.map((user) => ({ ...user, why: 'no token at all' })),
    ];
    process.stdout.write(`${alliance_name}: ${lost.length}\n`);
    for (const { character_name, why } of lost) process.stdout.write(`  ${character_name}: ${why}\n`);
  }
} catch (error) {
  if (!(error instanceof CastellanError)) throw error;
  process.stderr.write(`${error.status}: ${error.message} (request ${error.requestId})\n`);
  process.exitCode = 1;
}
