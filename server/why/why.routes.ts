import type { contract } from '../../contract/index.ts';
import type { Handlers } from '../http/mount.ts';
import type { Services } from '../services/services.ts';
import { askWhy } from './why.ts';

export function whyHandler(services: Services): Handlers<typeof contract.user>['why'] {
  return async ({ caller, params, query }) => ({
    status: 200,
    body: await askWhy(services, caller, params.character, query.about),
  });
}
