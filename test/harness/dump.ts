import type { Submittable } from 'pg';
import pg from 'pg';

/** Every table outside the system schemas, with those of the job queue; of partitioned tables the leaves. */
const TABLES = `
  select format('%I.%I', n.nspname, c.relname) as name
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'm') and n.nspname !~ '^(pg_|information_schema)'
  order by 1`;

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function tablesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(TABLES);
  return rows.map((row) => row.name);
}

/** Tables of the provider's cache and limits, which every request may change. */
const OF_THE_PROVIDER = /^public\.provider_/;
/** Tables of events, which record refused attempts too. */
const OF_EVENTS = /^public\.(events|event|unsealed_events)_?/;

/**
 * All rows of all tables as sorted text, without the provider's cache and limits. `stateMarks: false` also leaves out
 * the columns of state codes that an attempt to sign in changes.
 */
export async function snapshot(
  url: string,
  { stateMarks = true }: { readonly stateMarks?: boolean } = {},
): Promise<Record<string, string[]>> {
  return withClient(url, async (client) => {
    const tables = (await tablesOf(client)).filter(
      (table) => !OF_THE_PROVIDER.test(table) && !OF_EVENTS.test(table),
    );
    const statements = tables.map((table) => {
      const row =
        table === 'public.state_codes' && !stateMarks
          ? `to_jsonb(t) - '{used_on,tries,expires_on}'::text[]`
          : 't';
      return `select (${row})::text as row from ${table} t order by 1`;
    });
    // Several statements in one query have a result each, which the types of pg do not know.
    const results = (await client.query(statements.join(';'))) as unknown as pg.QueryResult<{
      row: string;
    }>[];
    if (results.length !== tables.length) throw new Error('There is not one result for each table');
    return Object.fromEntries(results.map(({ rows }, index) => [tables[index], rows.map(({ row }) => row)]));
  });
}

/** A table as COPY sends it in its binary format, with text and bytea unescaped. */
class CopyOut implements Submittable {
  readonly done: Promise<Buffer>;
  readonly #table: string;
  readonly #chunks: Buffer[] = [];
  #settle: { resolve(bytes: Buffer): void; reject(error: Error): void } | undefined;

  constructor(table: string) {
    this.#table = table;
    this.done = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  submit(connection: { query(text: string): void }): void {
    connection.query(`copy ${this.#table} to stdout with (format binary)`);
  }

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.#chunks.push(chunk);
  }

  handleError(error: Error): void {
    this.#settle?.reject(error);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#settle?.resolve(Buffer.concat(this.#chunks));
  }
}

/** The whole database as COPY sends it, table by table. */
export async function copyEverything(url: string): Promise<Map<string, Buffer>> {
  return withClient(url, async (client) => {
    const copies = new Map<string, Buffer>();
    for (const table of await tablesOf(client)) {
      copies.set(table, await client.query(new CopyOut(table)).done);
    }
    return copies;
  });
}
