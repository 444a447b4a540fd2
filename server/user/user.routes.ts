import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import type { Parts } from '../services/services.ts';
import { allUsers, getUser, removeUser, updateUser } from './user.ts';

export function userHandlers(parts: Parts): Handlers<typeof contract.user> {
  return {
    list: async () => ({ status: 200, body: await allUsers(parts) }),
    get: async ({ params }) => ({ status: 200, body: await getUser(parts, params.character_name) }),
    update: async ({ admission, params, body }) => ({
      status: 200,
      body: await updateUser(parts, admission, params.character_id, body.clearance_level ?? undefined),
    }),
    delete: async ({ admission, params }) => {
      await removeUser(parts, admission, params.character_id);
      return { status: 200, body: undefined };
    },
  };
}
