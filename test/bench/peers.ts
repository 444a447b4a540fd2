/**
 * Other services that sign people in, each as it comes, on a database of its own and asked what answers the same question
 * as one of the scenarios. `npm run bench:peers` installs them.
 */
import pg from 'pg';
import { databaseUrl } from '../harness/postgres.ts';
import type { Target } from './load.ts';
import { type Server, startProgram } from './processes.ts';
import type { Scenario } from './scenario.ts';
import { currentToken } from './scenarios/current-token.ts';
import { smallGroup } from './scenarios/group.ts';

/** A service's read, and the scenario whose bare handler it is compared with. */
export interface PeerRead {
  readonly name: string;
  readonly server: Server;
  readonly target: Target;
  readonly like: Scenario;
}

/** What a peer's program prints when it is ready. */
interface PeerReady {
  readonly port: number;
  /** Of the process that answers, where the program starts another. */
  readonly pid?: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Paths to ask in turn: of who the caller is, and of a group of 50 with its members. */
  readonly reads: Readonly<Record<keyof typeof LIKE, readonly string[]>>;
}

const LIKE = { caller: currentToken, group: smallGroup } as const;
const PEERS = ['better-auth', 'directus'] as const;

/** The scenarios that peers are compared with. */
export const comparable: readonly Scenario[] = Object.values(LIKE);

/** Starts the peers one after another, each with 50 people in groups. */
export async function startPeers(
  serverUrl: string,
  closers: (() => Promise<void>)[],
): Promise<readonly PeerRead[]> {
  const reads: PeerRead[] = [];
  for (const name of PEERS) reads.push(...(await startPeer(name, serverUrl, closers)));
  return reads;
}

async function startPeer(
  name: (typeof PEERS)[number],
  serverUrl: string,
  closers: (() => Promise<void>)[],
): Promise<PeerRead[]> {
  const database = `peer_${name.replace('-', '_')}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${database}`);
  await client.end();
  const { line, ...program } = await startProgram(`test/bench/peers/${name}.mjs`, [
    databaseUrl(serverUrl, database),
  ]);
  closers.push(program.stop);
  const { port, pid = program.pid, headers, reads } = JSON.parse(line) as PeerReady;
  const origin = `http://127.0.0.1:${port}`;
  const server = { ...program, pid, origin };
  return (Object.keys(LIKE) as (keyof typeof LIKE)[]).map((read) => ({
    name: `${name}, like ${LIKE[read].name}`,
    server,
    target: { origin, headers, path: (n: number) => reads[read][n % reads[read].length] ?? '' },
    like: LIKE[read],
  }));
}
