import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import type { Services } from '../services/services.ts';
import { createClient, getClient, getClients, removeClient, renewSecret, updateClient } from './clients.ts';

export function oidcHandlers(services: Services): Handlers<typeof contract.oidc> {
  return {
    listClients: async () => ({ status: 200, body: await getClients(services) }),
    getClient: async ({ params }) => ({ status: 200, body: await getClient(services, params.client_id) }),
    createClient: async ({ admission, body }) => ({
      status: 201,
      body: await createClient(services, admission, body),
    }),
    updateClient: async ({ admission, params, body }) => ({
      status: 200,
      body: await updateClient(services, admission, params.client_id, body),
    }),
    deleteClient: async ({ admission, params }) => {
      await removeClient(services, admission, params.client_id);
      return { status: 200, body: undefined };
    },
    renewSecret: async ({ admission, params }) => ({
      status: 200,
      body: await renewSecret(services, admission, params.client_id),
    }),
  };
}
