/** The contract: every operation that this service promises, and the schemas of what goes in and out. */
import { allianceRoutes } from './alliance.ts';
import { applicationRoutes } from './application.ts';
import { callbackRoutes } from './callback.ts';
import { coalitionRoutes } from './coalition.ts';
import { c } from './common.ts';
import { allianceCompliance, coalitionCompliance, corporationCompliance } from './compliance.ts';
import { corporationRoutes } from './corporation.ts';
import { crashRoutes } from './crash.ts';
import { auditRoutes, eventRoutes } from './event.ts';
import { extRoutes } from './ext.ts';
import { groupRoutes } from './group.ts';
import { historyRoutes } from './history.ts';
import { oidcRoutes } from './oidc.ts';
import { personOfUserRoute, personRoutes } from './person.ts';
import { systemRoutes } from './system.ts';
import { tokenRoutes } from './token.ts';
import { userRoutes } from './user.ts';
import { voiceRoutes } from './voice.ts';
import { webhookRoutes } from './webhook.ts';

export * from './access.ts';
export * from './alliance.ts';
export { Application, PostApplication, PutApplication } from './application.ts';
export * from './coalition.ts';
export { MAX_ID, MAX_LIST } from './common.ts';
export * from './compliance.ts';
export * from './corporation.ts';
export * from './crash.ts';
export { CrashProblem, ErrorCode, Problem, ValidationIssue, ValidationProblem } from './error-body.ts';
export * from './event.ts';
export * from './ext.ts';
export * from './group.ts';
export * from './group-short.ts';
export * from './history.ts';
export * from './membership.ts';
export * from './oidc.ts';
export { PAGE_SIZE } from './paging.ts';
export * from './person.ts';
export { GroupPolicy, JoinableGroup, PutGroupPolicy } from './policy.ts';
export * from './preview.ts';
export * from './scopes.ts';
export * from './system.ts';
export * from './token.ts';
export * from './user.ts';
export * from './voice.ts';
export * from './webhook.ts';
export { Why, WhyFact, WhyFix, WhySource } from './why.ts';

export const contract = c.router(
  {
    alliance: { ...allianceRoutes, ...allianceCompliance },
    application: applicationRoutes,
    audit: auditRoutes,
    callback: callbackRoutes,
    coalition: { ...coalitionRoutes, ...coalitionCompliance },
    corporation: { ...corporationRoutes, ...corporationCompliance },
    crash: crashRoutes,
    event: eventRoutes,
    ext: extRoutes,
    group: groupRoutes,
    history: historyRoutes,
    person: personRoutes,
    oidc: oidcRoutes,
    system: systemRoutes,
    token: tokenRoutes,
    user: { ...userRoutes, person: personOfUserRoute },
    voice: voiceRoutes,
    webhook: webhookRoutes,
  },
  { strictStatusCodes: true },
);
