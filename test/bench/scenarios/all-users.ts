import { findCaller } from '../../../server/access/caller.queries.ts';
import { listUsers } from '../../../server/user/user.queries.ts';
import type { Scenario } from '../scenario.ts';
import { PEOPLE, TOKEN } from '../world.ts';

export const allUsers: Scenario = {
  name: 'GET /user',
  path: () => '/user',
  users: PEOPLE,
  other: {
    is: 'bare',
    async answer(record) {
      const authentication = await record((db) => findCaller(db, TOKEN));
      const users = await record((db) => listUsers(db));
      return async (run) => {
        await run(authentication);
        return run(users);
      };
    },
  },
};
