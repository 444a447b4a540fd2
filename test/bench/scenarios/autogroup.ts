import type { Group } from '../../../contract/group.ts';
import { findCaller } from '../../../server/access/caller.queries.ts';
import { findGroup } from '../../../server/group/group.queries.ts';
import type { Scenario } from '../scenario.ts';
import { AUTOGROUP, PEOPLE, TOKEN } from '../world.ts';

/** The alliance's: its members are derived from the registry. */
export const autogroup: Scenario = {
  name: 'GET /group/{id}',
  path: () => `/group/${AUTOGROUP}`,
  users: PEOPLE,
  other: {
    is: 'bare',
    async answer(record) {
      const authentication = await record((db) => findCaller(db, TOKEN));
      const group = await record((db) => findGroup(db, AUTOGROUP));
      return async (run) => {
        await run(authentication);
        return (await run<Group>(group))[0];
      };
    },
  },
};
