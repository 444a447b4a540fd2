/**
 * What the service is compared with: node:http and pg, nothing else, on the service's own statements; undici where
 * the provider is asked. Arguments: the URLs of the database and of the provider's API. Prints one line of JSON when it is ready; ends when its standard input does.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Kysely, type LogEvent, PostgresDialect } from 'kysely';
import pg from 'pg';
import { Pool } from 'undici';
import type { Database } from '../../server/database/tables.ts';
import {
  type Answer,
  type AskProvider,
  type Record,
  type Run,
  SCENARIO_HEADER,
  type Statement,
} from './scenario.ts';
import { scenarios } from './scenarios/index.ts';

/** What the parent process reads. */
export interface BareReady {
  readonly port: number;
  /** Texts of the statements that a request runs, by scenario. */
  readonly statements: { readonly [scenario: string]: readonly string[] };
}

pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const [databaseUrl, apiUrl = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
const recorded: LogEvent[] = [];
const db = new Kysely<Database>({
  dialect: new PostgresDialect({ pool }),
  log: (event) => void recorded.push(event),
});

let named = 0;
const record: Record = async (work) => {
  recorded.length = 0;
  await work(db);
  const [event] = recorded;
  if (event === undefined || recorded.length > 1) throw new Error(`${recorded.length} statements, not one`);
  return { name: `s${named++}`, text: event.query.sql, values: event.query.parameters };
};

const run: Run = async <Row>({ name, text, values }: Statement, others = values) =>
  (await pool.query({ name, text, values: [...others] })).rows as Row[];

const api = new URL(apiUrl);
const provider = new Pool(api.origin);
const ask: AskProvider = async (path) => {
  const answer = await provider.request({ method: 'GET', path: `${api.pathname}/${path}` });
  const data: unknown = await answer.body.json();
  if (answer.statusCode !== 200) throw new Error(`${path}: status ${answer.statusCode}`);
  return { pages: Number(answer.headers['x-pages'] ?? 1), data };
};

const answers = new Map<string, Answer>();
const statements: { [scenario: string]: string[] } = {};
for (const { name, other } of scenarios) {
  const texts: string[] = [];
  if (other.is === 'bare forwarder') answers.set(name, other.answer);
  if (other.is !== 'bare') continue;
  const answer = await other.answer(async (work) => {
    const statement = await record(work);
    texts.push(statement.text);
    return statement;
  });
  answers.set(name, answer);
  statements[name] = texts;
}

const server = createServer((req, res) => {
  const answer = answers.get(String(req.headers[SCENARIO_HEADER]));
  if (answer === undefined) res.writeHead(404).end();
  else
    answer(run, req.url ?? '/', ask).then(
      (body) => send(res, body),
      (error) => fail(res, error),
    );
});

function send(res: ServerResponse, body: unknown): void {
  const json = Buffer.from(JSON.stringify(body));
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': json.length }).end(json);
}

function fail(res: ServerResponse, error: unknown): void {
  process.stderr.write(`${error}\n`);
  res.writeHead(500).end();
}

server.listen(0, '127.0.0.1');
await once(server, 'listening');
const ready: BareReady = { port: (server.address() as AddressInfo).port, statements };
process.stdout.write(`${JSON.stringify(ready)}\n`);

await once(process.stdin.resume(), 'end');
server.close();
server.closeAllConnections();
await provider.destroy();
await db.destroy();
