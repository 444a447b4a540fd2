import type { contract } from '../../contract/index.ts';
import { getTracking } from '../grant/tracking.ts';
import type { Handlers } from '../http/mount.ts';
import { written } from '../http/written-body.ts';
import type { Services } from '../services/services.ts';
import { listCorporations } from './corporation.queries.ts';
import { getCorporation, registerCorporation, updateCorporation } from './corporation.ts';
import { listGuests } from './guest.queries.ts';
import { createGuestCode, removeGuest } from './guest.ts';

export function corporationHandlers(
  services: Services,
): Omit<Handlers<typeof contract.corporation>, 'compliance' | 'complianceDays'> {
  return {
    list: async () => ({ status: 200, body: await listCorporations(services.db) }),
    get: async ({ params }) => ({ status: 200, body: await getCorporation(services, params.corporation_id) }),
    tracking: async ({ params, res }) => ({
      status: 200,
      body: written(res, await getTracking(services.db, { corporation_id: params.corporation_id })),
    }),
    register: async ({ admission, params }) => ({
      status: 200,
      body: await registerCorporation(services, admission, params.corporation_id),
    }),
    update: async ({ admission, params, body }) => ({
      status: 200,
      body: await updateCorporation(services, admission, params.corporation_id, body),
    }),
    listGuests: async ({ params }) => ({
      status: 200,
      body: await listGuests(services.db, params.corporation_id),
    }),
    createGuestCode: async ({ admission, params }) => ({
      status: 200,
      body: await createGuestCode(services, admission, params.corporation_id),
    }),
    deleteGuest: async ({ admission, params }) => {
      await removeGuest(services, admission, params.corporation_id, params.character_id);
      return { status: 200, body: undefined };
    },
  };
}
