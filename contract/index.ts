/** The contract: every operation that this service promises, and the schemas of what goes in and out. */
import { allianceRoutes } from './alliance.ts';
import { callbackRoutes } from './callback.ts';
import { coalitionRoutes } from './coalition.ts';
import { c } from './common.ts';
import { corporationRoutes } from './corporation.ts';
import { crashRoutes } from './crash.ts';
import { auditRoutes, eventRoutes } from './event.ts';
import { extRoutes } from './ext.ts';
import { groupRoutes } from './group.ts';
import { historyRoutes } from './history.ts';
import { systemRoutes } from './system.ts';
import { tokenRoutes } from './token.ts';
import { userRoutes } from './user.ts';
import { voiceRoutes } from './voice.ts';
import { webhookRoutes } from './webhook.ts';

export * from './access.ts';
export * from './alliance.ts';
export * from './coalition.ts';
export {
  CrashProblem,
  ErrorCode,
  MAX_ID,
  MAX_LIST,
  PAGE_SIZE,
  Problem,
  ValidationIssue,
  ValidationProblem,
} from './common.ts';
export * from './corporation.ts';
export * from './crash.ts';
export * from './event.ts';
export * from './ext.ts';
export * from './group.ts';
export * from './history.ts';
export * from './membership.ts';
export * from './scopes.ts';
export * from './system.ts';
export * from './token.ts';
export * from './user.ts';
export * from './voice.ts';
export * from './webhook.ts';

export const contract = c.router(
  {
    alliance: allianceRoutes,
    audit: auditRoutes,
    callback: callbackRoutes,
    coalition: coalitionRoutes,
    corporation: corporationRoutes,
    crash: crashRoutes,
    event: eventRoutes,
    ext: extRoutes,
    group: groupRoutes,
    history: historyRoutes,
    system: systemRoutes,
    token: tokenRoutes,
    user: userRoutes,
    voice: voiceRoutes,
    webhook: webhookRoutes,
  },
  { strictStatusCodes: true },
);
