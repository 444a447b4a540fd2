import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { request } from 'undici';
import type { Held, Program } from '../hostile/service.ts';
import type { Inspector } from '../inspector.ts';

/** The two programs, and what their connections are called in `pg_stat_activity`. */
export const APPLICATIONS = { api: 'soak api', worker: 'soak worker' } as const;
export type Name = keyof typeof APPLICATIONS;
export const NAMES = Object.keys(APPLICATIONS) as Name[];

/** What one of the programs holds at one moment. */
export interface Holding extends Held {
  /** Bytes of objects after a garbage collection. */
  readonly heap: number;
  /** To the database. */
  readonly connections: number;
}

/** What both hold. */
export interface Sample extends Readonly<Record<Name, Holding>> {
  /** Minutes since the beginning. */
  readonly at: number;
  /** The fault at that time, or `quiet`. */
  readonly window: string;
  /** Lines of the API's metrics. */
  readonly series: number;
}

/** What is looked at. */
export interface Watched {
  readonly programs: Readonly<Record<Name, Program>>;
  readonly inspectors: Readonly<Record<Name, Inspector>>;
  readonly metricsUrl: string;
  readonly database: pg.Client;
}

export async function look(watched: Watched): Promise<Omit<Sample, 'at' | 'window'>> {
  const { body } = await request(watched.metricsUrl);
  const series = (await body.text()).split('\n').length;
  return { series, api: await holdingOf('api', watched), worker: await holdingOf('worker', watched) };
}

async function holdingOf(name: Name, { programs, inspectors, database }: Watched): Promise<Holding> {
  const heap = await inspectors[name].heap();
  const { rows } = await database.query<{ connections: number }>(
    'select count(*)::int as connections from pg_stat_activity where application_name = $1',
    [APPLICATIONS[name]],
  );
  return { ...(await programs[name].held()), heap, connections: rows[0]?.connections ?? 0 };
}

/** Milliseconds of CPU that processes have used, those included that they have outlived. */
export async function cpuOf(pids: readonly number[]): Promise<number> {
  const each = pids.map(async (pid) => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const fields = stat.split(') ')[1]?.split(' ') ?? [];
    return [11, 12, 13, 14].reduce((sum, n) => sum + Number(fields[n] ?? 0), 0) * 10;
  });
  return (await Promise.all(each)).reduce((sum, milliseconds) => sum + milliseconds, 0);
}
