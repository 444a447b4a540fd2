import type { TokenKind } from '../../../contract/access.ts';
import { toUser } from '../../../server/user/user.ts';
import { findUser, type UserRow } from '../../../server/user/user-record.queries.ts';
import { only, type Scenario, type Statement } from '../scenario.ts';
import { character, TOKEN } from '../world.ts';

interface Row extends UserRow {
  readonly callback: string | null;
  readonly comments: string | null;
  readonly made_on: Date;
  readonly expires_on: Date | null;
  readonly parent: string | null;
  readonly token_type: TokenKind;
  readonly uuid: string;
}

export const currentToken: Scenario = {
  name: 'GET /token',
  path: () => '/token',
  other: {
    is: 'bare',
    async answer(record) {
      const owner = only(await record((db) => findUser(db, character(0))));
      const statement: Statement = {
        text: `select t.callback, t.comments, t.created_on as made_on, t.expires_on, t.parent, t.token_type, t.uuid, owner.*
          from tokens t cross join lateral (${owner.text.replace('$1', 'array[t.owner_id]')}) owner where t.uuid = $1`,
        values: [TOKEN],
      };
      return async ({ run }) => {
        const [row] = await run<Row>(statement);
        if (row === undefined) return undefined;
        const { callback, comments, made_on, expires_on, parent, token_type, uuid, ...user } = row;
        return {
          ...{ callback, comments, created_on: made_on, expires_on, owner: toUser(user) },
          ...{ parent, token_type, uuid },
        };
      };
    },
  },
};
