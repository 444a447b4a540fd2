import type { Scenario } from '../scenario.ts';
import { allUsers } from './all-users.ts';
import { autogroup } from './autogroup.ts';
import { currentToken } from './current-token.ts';
import { allPagesForward, cachedForward } from './forward.ts';
import { rateLimited } from './rate-limit.ts';
import { allianceTracking, coalitionTracking, corporationTracking } from './tracking.ts';
import { userByName } from './user-by-name.ts';

/** In the order of the report. */
export const scenarios: readonly Scenario[] = [
  currentToken,
  rateLimited,
  userByName,
  allUsers,
  autogroup,
  corporationTracking,
  allianceTracking,
  coalitionTracking,
  cachedForward,
  allPagesForward,
];
