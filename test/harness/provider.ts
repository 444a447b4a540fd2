import { sql } from 'kysely';
import type { TestApp } from './app.ts';

/** Forgets what the provider answered and what is left of its limits: the next request finds a service that is new. */
export async function forgetProvider({ db }: TestApp): Promise<void> {
  await sql`truncate provider_cache, provider_error_budget, provider_buckets, provider_callers`.execute(db);
}
