import type { Response } from 'express';
import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import { tellNextPage } from '../http/next-page.ts';
import type { Services } from '../services/services.ts';
import { applyTo, decideApplication, leaveGroup, withdrawApplication } from './application.ts';
import { getPolicy, setPolicy } from './group-policy.ts';
import { listJoinable } from './joining.ts';
import { type Applications, listApplications, listApplicationsTo } from './list-applications.ts';

/** The operations of groups that are about joining and leaving them. */
type Joining = 'joinable' | 'policy' | 'setPolicy' | 'apply' | 'applications' | 'leave';

export function joiningHandlers(services: Services): Pick<Handlers<typeof contract.group>, Joining> {
  return {
    joinable: async ({ caller }) => ({ status: 200, body: await listJoinable(services, caller) }),
    policy: async ({ caller, params }) => ({
      status: 200,
      body: await getPolicy(services, caller, params.group_id),
    }),
    setPolicy: async ({ admission, params, body }) => ({
      status: 200,
      body: await setPolicy(services, admission, params.group_id, body),
    }),
    apply: async ({ admission, params, body }) => ({
      status: 200,
      body: await applyTo(services, admission, params.group_id, body),
    }),
    applications: async ({ caller, params, query, res }) =>
      paged(res, await listApplicationsTo(services, caller, params.group_id, query)),
    leave: async ({ admission, params }) => {
      await leaveGroup(services, admission, params.group_id);
      return { status: 200, body: undefined };
    },
  };
}

function paged(res: Response, { applications, next }: Applications) {
  tellNextPage(res, next);
  return { status: 200, body: applications } as const;
}

export function applicationHandlers(services: Services): Handlers<typeof contract.application> {
  return {
    list: async ({ caller, query, res }) => paged(res, await listApplications(services, caller, query)),
    decide: async ({ admission, params, body }) => ({
      status: 200,
      body: await decideApplication(services, admission, params.application_id, body),
    }),
    withdraw: async ({ admission, params }) => {
      await withdrawApplication(services, admission, params.application_id);
      return { status: 200, body: undefined };
    },
  };
}
