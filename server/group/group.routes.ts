import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import type { Services } from '../services/services.ts';
import { listGroups } from './group.queries.ts';
import { createGroup, getGroup, removeGroup, updateGroup } from './group.ts';

export function groupHandlers(
  services: Services,
): Pick<Handlers<typeof contract.group>, 'list' | 'get' | 'create' | 'update' | 'delete'> {
  return {
    list: async () => ({ status: 200, body: await listGroups(services.db) }),
    get: async ({ params }) => ({ status: 200, body: await getGroup(services, params.group_id) }),
    create: async ({ admission, body }) => ({
      status: 201,
      body: await createGroup(services, admission, body),
    }),
    update: async ({ admission, params, body }) => ({
      status: 200,
      body: await updateGroup(services, admission, params.group_id, body),
    }),
    delete: async ({ admission, params }) => {
      await removeGroup(services, admission, params.group_id);
      return { status: 200, body: undefined };
    },
  };
}
