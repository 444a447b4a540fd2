import { MAX_ID } from '../../contract/common.ts';
import { MAX_PAGE } from '../../contract/paging.ts';
import type { ListUsersQuery, UserShort } from '../../contract/user.ts';
import type { JsonText } from '../database/json-text.ts';
import { sharedRead } from '../database/shared-read.ts';
import type { Services } from '../services/services.ts';
import { cursorOf, placeIn, valuesIn } from '../shared/paging.ts';
import { findUsers, type Place, type UserFilter, type UsersFound } from './list-users.queries.ts';

/** A page of users and, if there are more, the cursor of the next page. */
interface Users {
  readonly users: JsonText<UserShort[]>;
  readonly next: string | undefined;
}

interface Asked {
  readonly filter: UserFilter;
  readonly after: Place | undefined;
  readonly limit: number;
}

/** Callers of one page at the same time share its statement. */
const findPage = sharedRead<string, UsersFound>((db, asked) => {
  const { filter, after, limit } = JSON.parse(asked) as Asked;
  return findUsers(db, filter, after, limit);
});

/** Whether the query asks for all users without paging (D71). */
export function isForEverybody(query: ListUsersQuery): boolean {
  return Object.values(query).every((value) => value === undefined);
}

/** A page of the users that match the query (D71). */
export async function findUsersAsked({ db }: Pick<Services, 'db'>, query: ListUsersQuery): Promise<Users> {
  const { limit = MAX_PAGE, after, ...filter } = query;
  const asked: Asked = { filter, after: placeIn(after, toPlace), limit };
  const { users, last } = await findPage(db, JSON.stringify(asked));
  return { users, next: last && cursorOf([last.name_key, last.character_id]) };
}

function toPlace(cursor: string): Place | undefined {
  const [name_key, character_id] = valuesIn(cursor);
  return isText(name_key) && isId(character_id) ? { name_key, character_id } : undefined;
}

/** Whether it is text without U+0000, which PostgreSQL does not accept. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}

function isId(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_ID;
}
