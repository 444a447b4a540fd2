import { judgeMemberships } from '../server/application/judge-memberships.ts';
import { noteCompliance } from '../server/compliance/note-compliance.ts';
import { checkGrants } from '../server/grant/check-grants.ts';
import { collectors } from '../server/history/collect.ts';
import type { JobName, Payload } from '../server/queue/job-catalogue.ts';
import type { Change, Run } from '../server/queue/run.ts';
import { followNames } from '../server/registry/follow-names.ts';
import { refreshOrganizations } from '../server/registry/refresh-organizations.ts';
import { syncUsers } from '../server/registry/sync-users.ts';
import type { Services } from '../server/services/services.ts';
import { sweepSessions } from '../server/session/end-sessions.ts';
import { checkVoiceNicknames } from '../server/voice/check-nicknames.ts';
import { syncVoiceGroups } from '../server/voice/sync-groups.ts';
import { deliverSignIn } from './deliver-sign-in.ts';
import { runMaintenance } from './maintenance.ts';
import { registerAllianceMembers } from './register-alliance-members.ts';
import { revokeGrant } from './revoke-grant.ts';
import { sendLogout } from './send-logout.ts';
import { writeCheckpoint } from './write-checkpoint.ts';

type Handler<Name extends JobName> = (
  services: Services,
  payload: Payload<Name>,
  run: Run,
) => Promise<unknown>;

/** The dry run of a job that takes nothing from anybody: it collects, counts, or deletes what has expired. */
const takesNothing = async (): Promise<readonly Change[]> => [];

/** Jobs with a dry run; `check-grants` has none, because only refreshing a token tells whether it is valid (D52). */
export const dryRuns: {
  readonly [Name in JobName]?: (services: Services, run: Run) => Promise<readonly Change[]>;
} = {
  'check-voice-nicknames': checkVoiceNicknames,
  'collect-locations': takesNothing,
  'collect-mail': takesNothing,
  'collect-skill-points': takesNothing,
  'collect-wallets': takesNothing,
  'end-sessions': sweepSessions,
  'follow-names': followNames,
  'judge-memberships': judgeMemberships,
  maintenance: takesNothing,
  'note-compliance': takesNothing,
  'refresh-organizations': refreshOrganizations,
  'sync-users': syncUsers,
  'sync-voice-groups': syncVoiceGroups,
  'write-checkpoint': takesNothing,
};

/** The handler of each job in the catalogue; TypeScript reports a missing one. */
export const handlers: { readonly [Name in JobName]: Handler<Name> } = {
  'check-grants': onSchedule(checkGrants),
  'check-voice-nicknames': onSchedule(checkVoiceNicknames),
  'collect-locations': onSchedule(collectors['collect-locations']),
  'collect-mail': onSchedule(collectors['collect-mail']),
  'collect-skill-points': onSchedule(collectors['collect-skill-points']),
  'collect-wallets': onSchedule(collectors['collect-wallets']),
  'deliver-sign-in': deliverSignIn,
  'end-sessions': onSchedule(sweepSessions),
  'follow-names': onSchedule(followNames),
  'judge-memberships': onSchedule(judgeMemberships),
  maintenance: onSchedule(runMaintenance),
  'refresh-organizations': onSchedule(refreshOrganizations),
  'note-compliance': onSchedule(noteCompliance),
  'register-alliance-members': registerAllianceMembers,
  'revoke-grant': revokeGrant,
  'send-logout': sendLogout,
  'sync-users': onSchedule(syncUsers),
  'sync-voice-groups': onSchedule(syncVoiceGroups),
  'write-checkpoint': onSchedule(writeCheckpoint),
};

/** A handler for a scheduled job, which needs only the run. */
function onSchedule(work: (services: Services, run: Run) => Promise<unknown>) {
  return (services: Services, _payload: unknown, run: Run) => work(services, run);
}
