import { PAGE_SIZE } from '../../contract/paging.ts';
import { invalid } from '../shared/domain-error.ts';

/** One page of a history, newest entries first, and how many pages there are. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly pages: number;
}

/** The result of a query: the rows of one page, and the total number of entries. */
export interface PageRows<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

/** Makes a page. An empty history has one empty page; a page beyond the last is refused (D36). */
export function toPage<Row, Entry>(
  { rows, total }: PageRows<Row>,
  page: number,
  toEntry: (row: Row) => Entry,
): Page<Entry> {
  const pages = Math.max(1, Math.ceil(total / PAGE_SIZE));
  if (page > pages) throw invalid(['header', 'page'], 'Invalid page index');
  return { entries: rows.map(toEntry), pages };
}
