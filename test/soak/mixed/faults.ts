import pg from 'pg';
import { postgresProcesses } from '../fleet/postgres.ts';
import { startHangingUp } from './hang-ups.ts';
import type { Stage } from './stage.ts';
import { TROUBLES, type Trouble } from './troubles.ts';
import { APPLICATIONS } from './watch.ts';

/** Something that goes wrong for a while. */
export interface Fault {
  readonly name: string;
  /** Whether requests may be answered 503, whatever they ask. */
  readonly database?: boolean;
  /** Milliseconds that it lasts at the most. */
  readonly atMost?: number;
  /** Begins it; what it returns ends it. */
  readonly begin: (stage: Stage) => Promise<() => Promise<unknown>>;
}

const FROZEN_FOR = 3_000;

const outside = (Object.keys(TROUBLES) as Trouble[]).map(
  (name): Fault => ({
    name,
    async begin({ scene }) {
      await scene.outside.trouble(name, true);
      return () => scene.outside.trouble(name, false);
    },
  }),
);

export const FAULTS: readonly Fault[] = [
  ...outside,
  {
    name: 'PostgreSQL ends all connections',
    database: true,
    async begin({ databaseUrl }) {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      await client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where application_name = any($1)',
        [Object.values(APPLICATIONS)],
      );
      return () => client.end();
    },
  },
  {
    name: 'PostgreSQL is frozen',
    database: true,
    atMost: FROZEN_FOR,
    async begin({ databaseUrl }) {
      const processes = await postgresProcesses(databaseUrl);
      for (const pid of processes) process.kill(pid, 'SIGSTOP');
      return async () => {
        for (const pid of processes) process.kill(pid, 'SIGCONT');
      };
    },
  },
  {
    name: 'clients hang up',
    begin: async ({ scene }) => startHangingUp(scene),
  },
];
