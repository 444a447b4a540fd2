/**
 * The simulated provider in a process of its own, so that what it costs is not counted for the service. Prints
 * one line of JSON when it is ready; ends when its standard input does.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { startSimulatedProvider } from '../../dev/provider/provider.ts';

/** What the parent process reads. */
export interface ProviderReady {
  readonly url: string;
  /** What the service has to know of it, as its environment names it. */
  readonly settings: {
    readonly SSO_URL: string;
    readonly SSO_CLIENT_ID: string;
    readonly SSO_CLIENT_SECRET: string;
    readonly EXT_API_URL: string;
    readonly EXT_API_SPEC_URL: string;
  };
}

const clientId = 'castellan-bench';
const clientSecret = randomBytes(18).toString('base64url');
const provider = await startSimulatedProvider({ clientId, clientSecret });
// The limits are not what is measured.
provider.setRateLimit('market-order', 1_000_000_000);
const ready: ProviderReady = {
  url: provider.url,
  settings: {
    SSO_URL: provider.ssoUrl,
    SSO_CLIENT_ID: clientId,
    SSO_CLIENT_SECRET: clientSecret,
    EXT_API_URL: provider.apiUrl,
    EXT_API_SPEC_URL: provider.specUrl,
  },
};
process.stdout.write(`${JSON.stringify(ready)}\n`);

await once(process.stdin.resume(), 'end');
await provider.stop();
