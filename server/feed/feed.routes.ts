import type { contract } from '../../contract/index.ts';
import type { Admission } from '../access/admission.ts';
import { lineKeyOf } from '../access/lines.ts';
import { feedReader } from '../event/reader.ts';
import type { Handlers } from '../http/mount.ts';
import type { Services } from '../services/services.ts';
import { createFeed } from './feed.ts';

export function feedHandlers(services: Services): Handlers<typeof contract.event> {
  const feed = createFeed(services);
  return {
    list: async ({ admission, query }) => {
      const read = (admitted: Admission) => feed(admitted, query);
      // A request that waits for events takes turns at each look. For whoever does not see all, thousands are judged.
      const waits = query.wait !== undefined && query.wait > 0;
      const body =
        waits || feedReader(admission.caller) === 'all'
          ? await read(admission)
          : await services.lines.events(lineKeyOf(admission.caller), admission, read);
      return { status: 200, body };
    },
  };
}
