import { toUser } from '../../../server/user/user.ts';
import { findUserNamed, type UserRow } from '../../../server/user/user-record.queries.ts';
import { only, type Scenario } from '../scenario.ts';
import { nameOf, PEOPLE } from '../world.ts';

const PREFIX = '/user/';
/** Coprime to the number of people, so that the requests visit all of them in no order of the table. */
const STRIDE = 3_331;

export const userByName: Scenario = {
  name: 'GET /user/{name}',
  path: (n) => `${PREFIX}${encodeURIComponent(nameOf((n * STRIDE) % PEOPLE))}`,
  other: {
    is: 'bare',
    async answer(record) {
      const byName = only(await record((db) => findUserNamed(db, nameOf(0))));
      return async ({ run }, path) => {
        const names = [decodeURIComponent(path.slice(PREFIX.length))];
        const [found] = await run<UserRow & { asked: string }>(byName, [names, [null]]);
        if (found === undefined) return undefined;
        const { asked: _, ...user } = found;
        return toUser(user);
      };
    },
  },
};
