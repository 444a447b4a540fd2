import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { claimPorts } from './ports.ts';

export interface DatabaseProxy {
  /** The database's URL through the proxy. */
  readonly url: string;
  /** Number of chunks sent to the database. */
  readonly sent: number;
  /** Drops all data in both directions without closing connections, as a broken network does. */
  mute(): void;
  /** Holds back all data in both directions until it is mended, as a server that is frozen does. */
  freeze(): void;
  /** Breaks every connection and refuses new ones, as a stopped server does. */
  cut(): Promise<void>;
  /** Accepts new connections again. */
  mend(): Promise<void>;
}

/** A TCP proxy in front of a database that can simulate the failure of the network or the server. */
export async function startProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const { host, port, user, password, database } = new pg.Client({ connectionString: databaseUrl });
  const target = host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port };
  /** Each with the one that its data goes to. */
  const open = new Map<Socket, Socket>();
  let muted = false;
  let frozen = false;
  let sent = 0;
  const server = createServer((client) => {
    const onward = connect(target);
    client.on('data', () => {
      sent += 1;
    });
    for (const [from, to] of [
      [client, onward],
      [onward, client],
    ] as const) {
      open.set(from, to);
      if (muted) from.resume();
      else if (!frozen) from.pipe(to);
      from.on('error', () => undefined);
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  // Claimed until the process ends, so that nobody else has it between a cut and a mend.
  const { first: listening } = await claimPorts();
  const listen = async () => {
    server.listen(listening, '127.0.0.1');
    await once(server, 'listening');
    server.unref();
  };
  await listen();
  // What a pooler wants, when the run is about one.
  const prepared = new URL(databaseUrl).searchParams.get('prepared_statements');
  const credentials = [user, password].filter(Boolean).map((part) => encodeURIComponent(String(part)));
  return {
    url: `postgres://${credentials.join(':')}@127.0.0.1:${listening}/${database}${prepared === null ? '' : `?prepared_statements=${prepared}`}`,
    get sent() {
      return sent;
    },
    mute() {
      muted = true;
      for (const socket of open.keys()) socket.unpipe().resume();
    },
    freeze() {
      frozen = true;
      for (const socket of open.keys()) socket.unpipe().pause();
    },
    async cut() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open.keys()) socket.destroy();
      await closed;
    },
    async mend() {
      muted = false;
      if (frozen) for (const [from, to] of open) from.pipe(to);
      frozen = false;
      if (!server.listening) await listen();
    },
  };
}
