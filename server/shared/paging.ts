/**
 * How lists are paged (D71): `X-Next` has the cursor at which a page ends, and `after` sends it back. A query reads one
 * row more than the page holds, so that the last page is known to be the last.
 */
import { invalid } from './domain-error.ts';

interface Page<Row> {
  readonly rows: Row[];
  /** The cursor of the next page; absent on the last one. */
  readonly next: string | undefined;
}

/** The page of at most `limit` rows, of up to `limit + 1` that were found. */
export function pageOf<Row>(
  found: readonly Row[],
  limit: number,
  cursorAt: (last: Row) => string,
): Page<Row> {
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows, next: last && cursorAt(last) };
}

/**
 * The place in the list at which a page begins, undefined for the first page; `read` returns undefined for what is no
 * cursor of this list.
 *
 * @throws DomainError 422 for an invalid cursor
 */
export function placeIn<Place>(
  after: string | undefined,
  read: (cursor: string) => Place | undefined,
): Place | undefined {
  if (after === undefined) return undefined;
  const place = read(after);
  if (place === undefined)
    throw invalid(['query', 'after'], 'Must be what X-Next said beside the page before');
  return place;
}

/** A cursor of the values by which the list is sorted. */
export function cursorOf(values: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** The values in such a cursor, unchecked; none where it is not one. */
export function valuesIn(cursor: string): readonly unknown[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(values) ? values : [];
  } catch {
    return [];
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A cursor that is the id of an event or a delivery. */
export function uuidIn(cursor: string): string | undefined {
  return UUID.test(cursor) ? cursor : undefined;
}
