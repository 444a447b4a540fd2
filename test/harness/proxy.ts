import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';

export interface DatabaseProxy {
  /** The database's URL by way of the proxy. */
  readonly url: string;
  /** How often anything was sent to the database. */
  readonly sent: number;
  /** Swallows whatever is sent either way: the network is gone, and nobody says so. */
  mute(): void;
  /** Breaks every connection and refuses new ones: the server is gone. */
  cut(): Promise<void>;
  /** Lets new connections through again. */
  mend(): Promise<void>;
}

/** A TCP way to a database that can be cut, as a network or a server's death cuts it. */
export async function startProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const { host, port, user, password, database } = new pg.Client({ connectionString: databaseUrl });
  const target = host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port };
  const open = new Set<Socket>();
  let muted = false;
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
      open.add(from);
      from.pipe(to);
      if (muted) from.unpipe(to).resume();
      from.on('error', () => undefined);
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  const listenOn = async (wanted: number) => {
    server.listen(wanted, '127.0.0.1');
    await once(server, 'listening');
    server.unref();
    return (server.address() as AddressInfo).port;
  };
  const listening = await listenOn(0);
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
      for (const socket of open) socket.unpipe().resume();
    },
    async cut() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
    async mend() {
      muted = false;
      if (!server.listening) await listenOn(listening);
    },
  };
}
