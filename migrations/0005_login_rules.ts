import { type Kysely, sql } from 'kysely';

/**
 * The voices on a user's login are now part of the statement that asks (server/user/login-permission.ts): joined
 * to the user through this view, they brought the reach of every corporation into every request.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop view login_rules`.execute(db);
}
