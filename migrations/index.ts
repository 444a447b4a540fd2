import type { Migration } from 'kysely';
import * as registry from './0001_registry.ts';

/** Every migration in order; never edited once landed. */
export const migrations: Record<string, Migration> = {
  '0001_registry': registry,
};
