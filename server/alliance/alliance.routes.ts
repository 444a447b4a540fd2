import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import type { Parts } from '../services/services.ts';
import { allAlliances, getAlliance, registerAlliance, trackAlliance, updateAlliance } from './alliance.ts';

export function allianceHandlers(parts: Parts): Handlers<typeof contract.alliance> {
  return {
    list: async () => ({ status: 200, body: await allAlliances(parts) }),
    get: async ({ params }) => ({ status: 200, body: await getAlliance(parts, params.alliance_id) }),
    tracking: async ({ params }) => ({ status: 200, body: await trackAlliance(parts, params.alliance_id) }),
    register: async ({ admission, params }) => ({
      status: 200,
      body: await registerAlliance(parts, admission, params.alliance_id),
    }),
    update: async ({ admission, params, body }) => ({
      status: 200,
      body: await updateAlliance(parts, admission, params.alliance_id, body),
    }),
  };
}
