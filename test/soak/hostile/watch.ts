import { readdir } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../../server/database/tables.ts';
import type { Held, Service } from './service.ts';

/** What the service holds at one moment, in its process and outside of it. */
export interface Sample extends Held {
  /** Minutes since the beginning. */
  readonly at: number;
  readonly window: string;
  /** Bytes on disk. */
  readonly database: number;
  readonly cache: number;
  readonly connections: number;
  /** Joined answers that hold a place. */
  readonly joined: number;
  /** Files with a name in its folder for temporary ones. */
  readonly leftovers: number;
}

/** Of the service's connections in `pg_stat_activity`. */
export const APPLICATION = 'hostile-soak';

export async function look(
  service: Service,
  db: Kysely<Database>,
  temporary: string,
): Promise<Omit<Sample, 'at' | 'window'>> {
  const [held, files, { rows }] = await Promise.all([
    service.held(),
    readdir(temporary),
    sql<Pick<Sample, 'database' | 'cache' | 'connections' | 'joined'>>`
      select pg_database_size(current_database()) as database,
        (select sum(pg_total_relation_size(relid))::bigint
          from pg_partition_tree('provider_cache') where isleaf) as cache,
        (select count(*) from pg_stat_activity where application_name = ${APPLICATION}) as connections,
        (select count(*) from joined_answers where until > now()) as joined`.execute(db),
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('the database said nothing');
  return { ...held, ...row, leftovers: files.length };
}

/** The largest tables, in kB. */
export async function largestTables(db: Kysely<Database>): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; kilobytes: number }>`
    select c.oid::regclass::text as name, pg_total_relation_size(c.oid) / 1024 as kilobytes from pg_class c
    where relkind = 'r' order by kilobytes desc limit 8`.execute(db);
  return Object.fromEntries(rows.map(({ name, kilobytes }) => [name, kilobytes]));
}
