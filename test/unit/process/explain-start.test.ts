import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { Address } from '../../../server/database/address.ts';
import { isUnreachable } from '../../../server/database/errors.ts';
import { openDatabase } from '../../../server/database/open.ts';
import { createLog } from '../../../server/observability/log.ts';
import { createOutages } from '../../../server/observability/outages.ts';
import { explainStart } from '../../../server/process/lifecycle.ts';
import { systemClock } from '../../../server/shared/clock.ts';

/** The error for a name with two addresses of which none takes connections, as `localhost` often is. */
async function noAddressAnswers(): Promise<Error> {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, 'close');
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  const socket = connect({ host: 'both', port, lookup: (_host, _options, tell) => tell(null, addresses) });
  const [error] = (await once(socket, 'error').catch((thrown: unknown) => [thrown])) as [Error];
  return error;
}

it.skipIf(process.platform !== 'linux')(
  'D8: a database at none of the addresses of its name: every address is named, by the start, the log and outages',
  async () => {
    const error = await noAddressAnswers();
    expect(error).toBeInstanceOf(AggregateError);
    expect(isUnreachable(error)).toBe(true);
    const both = /connect ECONNREFUSED 127\.0\.0\.1:\d+; connect ECONNREFUSED 127\.0\.0\.2:\d+/;
    expect(explainStart(error)).toMatch(new RegExp(`^The database cannot be reached: ${both.source}\n$`));
    const logged: string[] = [];
    const log = createLog('info', { write: (line) => logged.push(line) });
    log.error({ err: error }, 'a connection was lost');
    expect(JSON.parse(logged[0] ?? '').err.message).toMatch(both);
    const outages = createOutages(log, systemClock);
    for (let times = 0; times < 2; times += 1) outages.failed('it', { err: error }, 'is away');
    expect(logged[1]).toMatch(both);
  },
);

it.each([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])(
  'D8: a certificate of the database that is not accepted (%s) is one sentence at the start, and an outage later',
  (code) => {
    const error = Object.assign(new Error('the certificate is wrong'), { code });
    expect(isUnreachable(error)).toBe(true);
    expect(explainStart(error)).toBe(
      'The certificate of the database is not accepted: the certificate is wrong (sslmode and sslrootcert of DATABASE_URL, docs/deploying.md)\n',
    );
  },
);

it('D8: a certificate of ours beside the key of another, as while both are renewed, is an outage', () => {
  const message = 'error:05800074:x509 certificate routines::key values mismatch';
  const error = Object.assign(new Error(message), { code: 'ERR_OSSL_X509_KEY_VALUES_MISMATCH' });
  expect(isUnreachable(error)).toBe(true);
  expect(explainStart(error)).toBe(`The database cannot be reached: ${message}\n`);
});

it.each(['EACCES', 'EPERM', 'EMFILE', 'EADDRNOTAVAIL'])(
  'D8: whatever keeps a connection from being opened (%s) is one sentence at the start, and an outage later',
  (code) => {
    const refused = Object.assign(new Error(`connect ${code} /run/postgresql`), { code, syscall: 'connect' });
    expect(isUnreachable(refused)).toBe(true);
    expect(explainStart(refused)).toBe(`The database cannot be reached: connect ${code} /run/postgresql\n`);
    expect(isUnreachable(Object.assign(new Error(code), { code, syscall: 'open' }))).toBe(false);
  },
);

/** A message of PostgreSQL's about authentication: its kind, and what belongs to it. */
function authentication(kind: number, rest: string): Buffer {
  const head = Buffer.alloc(9, 'R');
  head.writeInt32BE(8 + rest.length, 1);
  head.writeInt32BE(kind, 5);
  return Buffer.concat([head, Buffer.from(rest)]);
}

it('D8: a database that wants a password, where there is none, is one sentence', async () => {
  const wanting = createServer((socket) => {
    socket.once('data', () => {
      socket.write(authentication(10, 'SCRAM-SHA-256\0\0'));
      socket.once('data', () => socket.write(authentication(11, 'r=nonce,s=c2FsdA==,i=4096')));
    });
  }).listen(0, '127.0.0.1');
  await once(wanting, 'listening');
  const { port } = wanting.address() as AddressInfo;
  const opened = openDatabase(`postgres://castellan@127.0.0.1:${port}/castellan`, createLog('silent'));
  const error: unknown = await opened.catch((thrown: unknown) => thrown);
  wanting.close();
  expect(isUnreachable(error)).toBe(true);
  expect(explainStart(error)).toBe('The database wants a password: DATABASE_URL has none.\n');
});

it('D8: a database without encryption, where the URL wants it, is one sentence', async () => {
  // Declines the request for encryption.
  const plain = createServer((socket) => void socket.once('data', () => socket.end('N'))).listen(
    0,
    '127.0.0.1',
  );
  await once(plain, 'listening');
  const { port } = plain.address() as AddressInfo;
  const opened = openDatabase(
    `postgres://a:canary@127.0.0.1:${port}/b?sslmode=verify-full`,
    createLog('silent'),
  );
  const error: unknown = await opened.catch((thrown: unknown) => thrown);
  plain.close();
  expect(explainStart(error)).toBe(
    'The database cannot be reached: The server does not support SSL connections\n',
  );
});

it('D8: a database that takes the connection and keeps silent does not hold a start for ever', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const url = `postgres://a:canary@127.0.0.1:${port}/b`;
  const opened = openDatabase(url, createLog('silent'), { connectedWithin: 300 });
  const error: unknown = await opened.catch((thrown: unknown) => thrown);
  silent.close();
  expect(explainStart(error)).toMatch(/^The database cannot be reached: .*time/);
  expect(new Address(url).config()).toEqual({ connectionString: url });
});
