import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import type { Services } from '../services/services.ts';
import { listUsers } from './user.queries.ts';
import { getUser, removeUser, updateUser } from './user.ts';

export function userHandlers(services: Services): Handlers<typeof contract.user> {
  return {
    list: async () => ({ status: 200, body: await listUsers(services.db) }),
    get: async ({ params }) => ({ status: 200, body: await getUser(services, params.character_name) }),
    update: async ({ admission, params, body }) => ({
      status: 200,
      body: await updateUser(services, admission, params.character_id, body.clearance_level ?? undefined),
    }),
    delete: async ({ admission, params }) => {
      await removeUser(services, admission, params.character_id);
      return { status: 200, body: undefined };
    },
  };
}
