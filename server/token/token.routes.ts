import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import type { Services } from '../services/services.ts';
import { createAppToken, createUserToken, describeCaller, logOut, removeToken } from './token.ts';

export function tokenHandlers(services: Services): Omit<Handlers<typeof contract.token>, 'startLogin'> {
  return {
    current: async ({ caller }) => ({ status: 200, body: await describeCaller(services, caller) }),
    delete: async ({ admission, query }) => {
      await removeToken(services, admission, query.uuid);
      return { status: 200, body: undefined };
    },
    createDynamic: async ({ admission, body }) => ({
      status: 200,
      body: await createAppToken(services, admission, 'dyn', body),
    }),
    createPermanent: async ({ admission, body }) => ({
      status: 200,
      body: await createAppToken(services, admission, 'per', body),
    }),
    createUserToken: async ({ caller }) => ({ status: 200, body: await createUserToken(services, caller) }),
    logout: async ({ caller }) => {
      await logOut(services, caller);
      return { status: 200, body: undefined };
    },
  };
}
