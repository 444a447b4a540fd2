import { type Insertable, type Kysely, sql } from 'kysely';
import type { CrashReportTable, Database } from '../database/tables.ts';

/** Maximum number of reports in `GET /crash`. */
const LISTED = 50;

/** Stores a report unless the hour before it has `most` of them already; returns whether it did. */
export async function insertCrash(
  db: Kysely<Database>,
  { id, timestamp, request, token, trace }: Insertable<CrashReportTable>,
  most: number,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    insert into crash_reports (id, timestamp, request, token, trace)
    select ${id}, ${timestamp}::timestamptz, ${request}::jsonb, ${token}::jsonb, ${trace}
    where (select count(*) from (
      select from crash_reports where timestamp > ${timestamp}::timestamptz - interval '1 hour' limit ${most}
    ) lately) < ${most}`.execute(db);
  return numAffectedRows > 0n;
}

export async function newestCrashes(db: Kysely<Database>) {
  return db
    .selectFrom('crash_reports')
    .select(['id', 'timestamp', 'request', 'token'])
    .orderBy('timestamp', 'desc')
    .orderBy('id', 'desc')
    .limit(LISTED)
    .execute();
}

export async function findCrash(db: Kysely<Database>, id: string) {
  return db.selectFrom('crash_reports').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function deleteCrash(db: Kysely<Database>, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('crash_reports').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes up to `most` reports from before `moment`; returns how many. */
export async function deleteCrashesBefore(db: Kysely<Database>, moment: Date, most: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from crash_reports where id in (
      select id from crash_reports where timestamp < ${moment}
      order by timestamp limit ${most} for update skip locked)`.execute(db);
  return Number(numAffectedRows);
}
