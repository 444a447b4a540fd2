import { DummyDriver, Kysely, type LogEvent, PostgresAdapter, PostgresQueryCompiler } from 'kysely';
import type pg from 'pg';
import type { Database } from '../../server/database/tables.ts';

/** The one statement that some work sends, as the service's own function builds it. */
export async function statementOf(
  work: (db: Kysely<Database>) => Promise<unknown>,
): Promise<LogEvent['query']> {
  const events: LogEvent[] = [];
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: () => {
        throw new Error('nothing looks at the schema');
      },
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: (event) => void events.push(event),
  });
  // No statement has an answer here, whatever the work makes of that.
  await work(db).catch(() => undefined);
  const [event] = events;
  if (event === undefined || events.length > 1) throw new Error('not one statement');
  return event.query;
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

export interface Cost {
  /** Blocks of tables and indexes that it touched. */
  readonly blocks: number;
  readonly milliseconds: number;
  /** Tables of some size that it read from end to end. */
  readonly readWhole: readonly string[];
}

/** What a statement costs. */
export async function costOf(client: pg.Client, { sql, parameters }: LogEvent['query']): Promise<Cost> {
  const { rows } = await client.query(`explain (analyze, buffers, format json) ${sql}`, [...parameters]);
  const [{ Plan: plan, 'Execution Time': milliseconds }] = rows[0]['QUERY PLAN'] as [
    { Plan: Plan; 'Execution Time': number },
  ];
  return {
    blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
    milliseconds,
    readWhole: nodesOf(plan).flatMap((node) => (isWhole(node) ? (node['Relation Name'] ?? []) : [])),
  };
}

/** Rows that a table may have to be read without its indexes. */
const SMALL = 1_000;

function isWhole(node: Plan): boolean {
  const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  return node['Node Type'] === 'Seq Scan' && rows > SMALL;
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}
