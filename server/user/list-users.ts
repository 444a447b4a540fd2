import { MAX_ID } from '../../contract/common.ts';
import { MAX_PAGE } from '../../contract/paging.ts';
import type { ListUsersQuery, UserShort } from '../../contract/user.ts';
import type { Services } from '../services/services.ts';
import { invalid } from '../shared/domain-error.ts';
import { findUsers, type Place } from './list-users.queries.ts';

/** A page of users and, if there are more, the cursor of the next page. */
interface Users {
  readonly users: UserShort[];
  readonly next?: string;
}

/** Whether the query asks for all users without paging (D71). */
export function isForEverybody(query: ListUsersQuery): boolean {
  return Object.values(query).every((value) => value === undefined);
}

/** A page of the users that match the query (D71). */
export async function findUsersAsked({ db }: Pick<Services, 'db'>, query: ListUsersQuery): Promise<Users> {
  const { limit = MAX_PAGE, after, ...filter } = query;
  // Reads one row more than the page to know whether there is a next page.
  const found = await findUsers(db, filter, after === undefined ? undefined : placeIn(after), limit + 1);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const users = page.map(({ character_id, character_name }) => ({ character_id, character_name }));
  return found.length > limit && last !== undefined ? { users, next: cursorAt(last) } : { users };
}

function cursorAt({ name_key, character_id }: Place): string {
  return Buffer.from(JSON.stringify([name_key, character_id])).toString('base64url');
}

/** Decodes a cursor; an invalid one is a 422. */
function placeIn(cursor: string): Place {
  try {
    const [name_key, character_id] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (isText(name_key) && isId(character_id)) return { name_key, character_id };
  } catch {
    // Invalid JSON is handled like a wrong value below.
  }
  throw invalid(['query', 'after'], 'Must be what X-Next said beside the page before');
}

/** Whether it is text without U+0000, which PostgreSQL does not accept. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}

function isId(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_ID;
}
