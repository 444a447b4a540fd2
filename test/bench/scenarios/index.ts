import type { Scenario } from '../scenario.ts';
import { allUsers } from './all-users.ts';
import { compliance } from './compliance.ts';
import { currentToken } from './current-token.ts';
import { allPagesForward, cachedForward } from './forward.ts';
import { autogroup, smallGroup, updatedGroup } from './group.ts';
import { rateLimited } from './rate-limit.ts';
import { allianceTracking, coalitionTracking, corporationTracking } from './tracking.ts';
import { userByName } from './user-by-name.ts';
import { userinfo } from './userinfo.ts';

/** In the order of the report. */
export const scenarios: readonly Scenario[] = [
  currentToken,
  rateLimited,
  userByName,
  userinfo,
  allUsers,
  smallGroup,
  autogroup,
  updatedGroup,
  corporationTracking,
  allianceTracking,
  coalitionTracking,
  compliance,
  cachedForward,
  allPagesForward,
];
