import type { AppRoute } from '@ts-rest/core';
import { z } from 'zod';
import type { RouteMetadata } from '../../contract/access.ts';

/** The query parameters of a call of the SDK; without `dry_run`, which is a separate call there. */
export function queryOf(
  { query }: AppRoute,
  { previews }: Pick<RouteMetadata, 'previews'>,
): [name: string, schema: z.ZodTypeAny][] {
  const all = query instanceof z.ZodObject ? Object.entries(query.shape as z.ZodRawShape) : [];
  return previews ? all.filter(([name]) => name !== 'dry_run') : all;
}
