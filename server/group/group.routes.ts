import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import type { Parts } from '../services/services.ts';
import { allGroups, createGroup, getGroup, removeGroup, updateGroup } from './group.ts';

export function groupHandlers(parts: Parts): Handlers<typeof contract.group> {
  return {
    list: async () => ({ status: 200, body: await allGroups(parts) }),
    get: async ({ params }) => ({ status: 200, body: await getGroup(parts, params.group_id) }),
    create: async ({ admission, body }) => ({
      status: 201,
      body: await createGroup(parts, admission, body),
    }),
    update: async ({ admission, params, body }) => ({
      status: 200,
      body: await updateGroup(parts, admission, params.group_id, body),
    }),
    delete: async ({ admission, params }) => {
      await removeGroup(parts, admission, params.group_id);
      return { status: 200, body: undefined };
    },
  };
}
