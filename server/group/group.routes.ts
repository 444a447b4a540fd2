import type { contract } from '../../contract/index.ts';
import type { BeforeTrial, Handlers } from '../http/mount.ts';
import { written } from '../http/written-body.ts';
import type { Services } from '../services/services.ts';
import { listGroups } from './group.queries.ts';
import { createGroup, getGroup, removeGroup, requireOwner, updateGroup } from './group.ts';

/** What the writes of a group check before they wait for their turn, too. */
export function beforeTrialOfGroup(services: Services): BeforeTrial {
  return ({ caller, params }) => requireOwner(services, caller, params.group_id as string);
}

export function groupHandlers(
  services: Services,
): Pick<Handlers<typeof contract.group>, 'list' | 'get' | 'create' | 'update' | 'delete'> {
  return {
    list: async () => ({ status: 200, body: await listGroups(services.db) }),
    get: async ({ params, res }) => ({
      status: 200,
      body: written(res, await getGroup(services.db, params.group_id)),
    }),
    create: async ({ admission, body, res }) => ({
      status: 201,
      body: written(res, await createGroup(services, admission, body)),
    }),
    update: async ({ admission, params, body, res }) => ({
      status: 200,
      body: written(res, await updateGroup(services, admission, params.group_id, body)),
    }),
    delete: async ({ admission, params }) => {
      await removeGroup(services, admission, params.group_id);
      return { status: 200, body: undefined };
    },
  };
}
