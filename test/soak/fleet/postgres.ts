import { readFileSync } from 'node:fs';
import pg from 'pg';
import { familyOf } from '../../harness/instance.ts';

/** The processes of the PostgreSQL at this URL, which runs on this machine; the postmaster first. */
export async function postgresProcesses(databaseUrl: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const postmaster = parentOf(rows[0]?.pid ?? 0);
  await client.end();
  return familyOf(postmaster);
}

function parentOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
}
