import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import { tellNextPage } from '../http/next-page.ts';
import { written } from '../http/written-body.ts';
import type { Services } from '../services/services.ts';
import { findUsersAsked, isForEverybody } from './list-users.ts';
import { listUsers } from './user.queries.ts';
import { getGroupsOf, getUser, removeUser, updateUser } from './user.ts';

export function userHandlers(services: Services): Omit<Handlers<typeof contract.user>, 'person' | 'why'> {
  return {
    list: async ({ query, res }) => {
      if (isForEverybody(query)) return { status: 200, body: written(res, await listUsers(services.db)) };
      const { users, next } = await findUsersAsked(services, query);
      tellNextPage(res, next);
      return { status: 200, body: written(res, users) };
    },
    get: async ({ params }) => ({ status: 200, body: await getUser(services, params.character_name) }),
    groups: async ({ params }) => ({ status: 200, body: await getGroupsOf(services, params.character) }),
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
