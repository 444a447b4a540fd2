import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import type { Parts } from '../services/services.ts';
import {
  allCoalitions,
  createCoalition,
  getCoalition,
  removeCoalition,
  trackCoalition,
  updateCoalition,
} from './coalition.ts';

export function coalitionHandlers(parts: Parts): Handlers<typeof contract.coalition> {
  return {
    list: async () => ({ status: 200, body: await allCoalitions(parts) }),
    get: async ({ params }) => ({ status: 200, body: await getCoalition(parts, params.coalition_id) }),
    create: async ({ admission, body }) => ({
      status: 201,
      body: await createCoalition(parts, admission, body),
    }),
    update: async ({ admission, params, body }) => ({
      status: 200,
      body: await updateCoalition(parts, admission, params.coalition_id, body),
    }),
    delete: async ({ admission, params }) => {
      await removeCoalition(parts, admission, params.coalition_id);
      return { status: 200, body: undefined };
    },
    tracking: async ({ params }) => ({ status: 200, body: await trackCoalition(parts, params.coalition_id) }),
  };
}
