import type { contract } from '../../contract/index.ts';
import { goneWith } from '../http/client-gone.ts';
import type { Handlers } from '../http/mount.ts';
import type { Services } from '../services/services.ts';
import { createFeed } from './feed.ts';

export function feedHandlers(services: Services): Handlers<typeof contract.event> {
  const feed = createFeed(services);
  return {
    list: async ({ admission, query, res }) => ({
      status: 200,
      body: await feed(admission, query, goneWith(res)),
    }),
  };
}
