/** Paging of long lists. */
import { extendApi } from '@anatine/zod-openapi';
import { z } from 'zod';
import { field, wholeNumberInQuery } from './common.ts';
import { text } from './text.ts';

/** Items on one page of a history (External data rule 2). */
export const PAGE_SIZE = 50;

/** Maximum number of elements on a page of a list (D71). */
export const MAX_PAGE = 1000;
export const LimitInQuery = wholeNumberInQuery(1, MAX_PAGE);

/** Elements on a page of most lists where the query does not say. */
export const USUAL_LIMIT = 100;

/** Of the operations whose pages are linked by `X-Next`. */
export const NEXT_PAGE = 'If there are more, `X-Next` has the value of `after` for the next page.';

/** The cursor of a page: the `X-Next` of the page before (D71). */
export const AfterInQuery = field(
  text(1, 2000),
  'Begins after the page whose answer had this value in `X-Next`.',
  'WyJhZGEgdmFsZSIsMjExMjAwMDAwMV0',
);

/** Far beyond the last page of any listing; larger numbers are taken for this one. */
const FARTHEST_PAGE = 2 ** 31 - 1;

/** The request header `page` of the histories: a positive whole number, 1 where absent (External data rule 2). */
export const PageHeader = z.object({
  page: extendApi(
    z
      .string()
      .regex(/^[1-9][0-9]*$/, 'Must be a positive whole number')
      .default('1')
      .transform((page) => Math.min(Number(page), FARTHEST_PAGE))
      .pipe(z.number().int().min(1)),
    { default: 1, description: `Page of the listing, ${PAGE_SIZE} items each, newest first.`, example: 1 },
  ),
});
