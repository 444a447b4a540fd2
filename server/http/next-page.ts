import type { Response } from 'express';

/** Tells by the header `X-Next` where the next page of a list begins (D71); absent on the last page. */
export function tellNextPage(res: Response, next: string | undefined): void {
  if (next !== undefined) res.setHeader('X-Next', next);
}
