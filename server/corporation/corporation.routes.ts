import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import type { Parts } from '../parts.ts';
import {
  allCorporations,
  getCorporation,
  registerCorporation,
  trackCorporation,
  updateCorporation,
} from './corporation.ts';
import { createGuestCode, guestsOf, removeGuest } from './guest.ts';

export function corporationHandlers(parts: Parts): Handlers<typeof contract.corporation> {
  return {
    list: async () => ({ status: 200, body: await allCorporations(parts) }),
    get: async ({ params }) => ({ status: 200, body: await getCorporation(parts, params.corporation_id) }),
    tracking: async ({ params }) => ({
      status: 200,
      body: await trackCorporation(parts, params.corporation_id),
    }),
    register: async ({ caller, params }) => ({
      status: 200,
      body: await registerCorporation(parts, caller, params.corporation_id),
    }),
    update: async ({ params, body }) => ({
      status: 200,
      body: await updateCorporation(parts, params.corporation_id, body),
    }),
    listGuests: async ({ params }) => ({
      status: 200,
      body: await guestsOf(parts, params.corporation_id),
    }),
    createGuestCode: async ({ params }) => ({
      status: 200,
      body: await createGuestCode(parts, params.corporation_id),
    }),
    deleteGuest: async ({ params }) => {
      await removeGuest(parts, params.corporation_id, params.character_id);
      return { status: 200, body: undefined };
    },
  };
}
