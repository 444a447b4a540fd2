import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import type { Parts } from '../services/services.ts';
import { startLogin } from '../sign-in/start-login.ts';
import { createAppToken, createUserToken, describeCaller, logOut, removeToken } from './token.ts';

export function tokenHandlers(parts: Parts): Handlers<typeof contract.token> {
  return {
    current: async ({ caller }) => ({ status: 200, body: await describeCaller(parts, caller) }),
    delete: async ({ admission, query }) => {
      await removeToken(parts, admission, query.uuid);
      return { status: 200, body: undefined };
    },
    createDynamic: async ({ admission, body }) => ({
      status: 200,
      body: await createAppToken(parts, admission, 'dyn', body),
    }),
    createPermanent: async ({ admission, body }) => ({
      status: 200,
      body: await createAppToken(parts, admission, 'per', body),
    }),
    startLogin: async ({ caller, body }) => ({ status: 200, body: await startLogin(parts, caller, body) }),
    createUserToken: async ({ caller }) => ({ status: 200, body: await createUserToken(parts, caller) }),
    logout: async ({ caller }) => {
      await logOut(parts, caller);
      return { status: 200, body: undefined };
    },
  };
}
