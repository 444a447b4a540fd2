import type { AppRoute } from '@ts-rest/core';
import { z } from 'zod';
import type { RouteMetadata } from '../../contract/access.ts';

/** The query parameters that a call of the SDK takes: what tries an operation beforehand is a call of its own there. */
export function queryOf(
  { query }: AppRoute,
  { previews }: Pick<RouteMetadata, 'previews'>,
): [name: string, schema: z.ZodTypeAny][] {
  const all = query instanceof z.ZodObject ? Object.entries(query.shape as z.ZodRawShape) : [];
  return previews ? all.filter(([name]) => name !== 'dry_run') : all;
}
