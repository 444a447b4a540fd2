import { MAX_ID } from '../../contract/common.ts';
import { MAX_PAGE } from '../../contract/paging.ts';
import type { ListUsersQuery, UserShort } from '../../contract/user.ts';
import type { Services } from '../services/services.ts';
import { cursorOf, pageOf, placeIn, valuesIn } from '../shared/paging.ts';
import { findUsers, type Place } from './list-users.queries.ts';

/** A page of users and, if there are more, the cursor of the next page. */
interface Users {
  readonly users: UserShort[];
  readonly next: string | undefined;
}

/** Whether the query asks for all users without paging (D71). */
export function isForEverybody(query: ListUsersQuery): boolean {
  return Object.values(query).every((value) => value === undefined);
}

/** A page of the users that match the query (D71). */
export async function findUsersAsked({ db }: Pick<Services, 'db'>, query: ListUsersQuery): Promise<Users> {
  const { limit = MAX_PAGE, after, ...filter } = query;
  const found = await findUsers(db, filter, placeIn(after, toPlace), limit + 1);
  const { rows, next } = pageOf(found, limit, ({ name_key, character_id }) =>
    cursorOf([name_key, character_id]),
  );
  return { users: rows.map(({ character_id, character_name }) => ({ character_id, character_name })), next };
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
