import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';

/** PostgreSQL's message for an error that ends the connection, as PgBouncer sends it. */
function refusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`);
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** Stands for a database as PgBouncer does where it was not told otherwise: refuses settings at the start of a session. */
export async function startPooler(databaseUrl: string): Promise<{ readonly url: string; stop(): void }> {
  const { host, port, user, database } = new pg.Client({ connectionString: databaseUrl });
  const target = host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port };
  const server: Server = createServer((client) => {
    client.on('error', () => undefined);
    client.once('data', (startup) => {
      if (startup.includes('statement_timeout')) {
        client.end(refusal('unsupported startup parameter: statement_timeout'));
        return;
      }
      const onward = connect(target);
      onward.on('error', () => client.destroy());
      onward.write(startup);
      client.pipe(onward).pipe(client);
      client.on('close', () => onward.destroy());
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = (server.address() as AddressInfo).port;
  return {
    url: `postgres://${encodeURIComponent(user ?? '')}@127.0.0.1:${at}/${database}?prepared_statements=off`,
    stop: () => void server.close(),
  };
}
