import { listUsers } from '../../../server/user/user.queries.ts';
import { only, type Scenario } from '../scenario.ts';
import { PEOPLE } from '../world.ts';

export const allUsers: Scenario = {
  name: 'GET /user',
  path: () => '/user',
  users: PEOPLE,
  other: {
    is: 'bare',
    async answer(record) {
      const users = only(await record((db) => listUsers(db)));
      return async ({ run }) => (await run<{ users: string }>(users))[0]?.users;
    },
  },
};
