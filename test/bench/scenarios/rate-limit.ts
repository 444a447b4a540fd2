import type { Scenario } from '../scenario.ts';

/** What the rate limit costs a request (D60). */
export const rateLimited: Scenario = {
  name: 'GET /token (rate limited)',
  path: () => '/token',
  other: { is: 'without limit' },
};
