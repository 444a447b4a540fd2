import type { Caller } from '../../../server/access/caller.queries.ts';
import { findCaller } from '../../../server/access/caller.queries.ts';
import { findUser, type UserRow } from '../../../server/user/user.queries.ts';
import { toUser } from '../../../server/user/user.ts';
import type { Scenario } from '../scenario.ts';
import { character, TOKEN } from '../world.ts';

export const currentToken: Scenario = {
  name: 'GET /token',
  path: () => '/token',
  other: {
    is: 'bare',
    async answer(record) {
      const authentication = await record((db) => findCaller(db, TOKEN));
      const owner = await record((db) => findUser(db, character(0)));
      return async (run) => {
        const [token] = await run<Caller>(authentication);
        const [user] = await run<UserRow>(owner);
        if (token === undefined || user === undefined) return undefined;
        return {
          callback: token.callback,
          comments: token.comments,
          created_on: token.created_on,
          expires_on: token.expires_on,
          owner: { ...toUser(user), clearance_level: token.level },
          parent: token.parent,
          token_type: token.token_type,
          uuid: token.uuid,
        };
      };
    },
  },
};
