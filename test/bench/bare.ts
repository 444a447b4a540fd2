/**
 * What the service is compared with: node:http and pg, nothing else, one statement of the service's own for a read,
 * and nobody asked for a token; undici where the provider is asked. Arguments: the URLs of the database and of the
 * provider's API. Prints one line of JSON when it is ready; ends when its standard input does.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
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
  type Tools,
  type Within,
} from './scenario.ts';
import { scenarios } from './scenarios/index.ts';

/** What the parent process reads. */
export interface BareReady {
  readonly port: number;
}

pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const [databaseUrl, apiUrl = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
const recorded: LogEvent[] = [];
const db = new Kysely<Database>({
  dialect: new PostgresDialect({ pool }),
  log: (event) => void recorded.push(event),
});

const record: Record = async (work) => {
  recorded.length = 0;
  await work(db);
  return recorded
    .map(({ query }) => ({ text: query.sql, values: query.parameters }))
    .filter(({ text }) => !/^(begin|commit)\b/.test(text));
};

const runOn =
  (client: pg.Pool | pg.PoolClient): Run =>
  async <Row>({ text, values }: Statement, others = values) =>
    (await client.query(text, [...others])).rows as Row[];

const within: Within = async (work) => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const done = await work(runOn(client));
    await client.query('commit');
    return done;
  } finally {
    client.release();
  }
};

const api = new URL(apiUrl);
const provider = new Pool(api.origin);
const ask: AskProvider = async (path) => {
  const answer = await provider.request({ method: 'GET', path: `${api.pathname}/${path}` });
  const data: unknown = await answer.body.json();
  if (answer.statusCode !== 200) throw new Error(`${path}: status ${answer.statusCode}`);
  return { pages: Number(answer.headers['x-pages'] ?? 1), data };
};

const answers = new Map<string, Answer>();
for (const { name, other } of scenarios) {
  if (other.is === 'bare forwarder') answers.set(name, other.answer);
  if (other.is === 'bare') answers.set(name, await other.answer(record));
}
const tools: Tools = { run: runOn(pool), within, ask };

const server = createServer((req, res) => {
  const answer = answers.get(String(req.headers[SCENARIO_HEADER]));
  if (answer === undefined) return void res.writeHead(404).end();
  const body = req.method === 'GET' ? '' : text(req);
  Promise.resolve(body)
    .then((sent) => answer(tools, req.url ?? '/', sent))
    .then(
      (given) => send(res, given),
      (error) => fail(res, error),
    );
});

/** Text is JSON that the database wrote. */
function send(res: ServerResponse, body: unknown): void {
  const json = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': json.length }).end(json);
}

function fail(res: ServerResponse, error: unknown): void {
  process.stderr.write(`${error}\n`);
  res.writeHead(500).end();
}

server.listen(0, '127.0.0.1');
await once(server, 'listening');
const ready: BareReady = { port: (server.address() as AddressInfo).port };
process.stdout.write(`${JSON.stringify(ready)}\n`);

await once(process.stdin.resume(), 'end');
server.close();
server.closeAllConnections();
await provider.destroy();
await db.destroy();
