import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exchange } from '../../../server/provider/http.ts';

const KIB = 1024;
const TEXT = JSON.stringify({ name: 'Éclaireurs', list: Array(1_000).fill(7) });

let answer: { status?: number; headers?: OutgoingHttpHeaders; body?: Buffer | string } | undefined;
let asked: IncomingHttpHeaders = {};
const server = createServer(({ headers }, res) => {
  asked = headers;
  if (answer !== undefined) res.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
});
let url: string;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/things`;
});
beforeEach(() => {
  answer = { body: TEXT };
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const ask = (limits = { milliseconds: 60_000, bytes: 64 * KIB }) =>
  exchange(url, { method: 'GET', headers: { 'user-agent': 'castellan-test' } }, limits);

describe('one exchange with the game’s API', () => {
  it.each([
    ['as it is', undefined, Buffer.from(TEXT)],
    ['as gzip', 'gzip', gzipSync(TEXT)],
    ['as brotli', 'br', brotliCompressSync(TEXT)],
    ['in another case', 'GZIP', gzipSync(TEXT)],
  ])('takes an answer %s', async (_, encoding, body) => {
    answer = { headers: { ...(encoding && { 'content-encoding': encoding }), etag: '"1"' }, body };
    const got = await ask();
    expect(got.body).toBe(TEXT);
    expect(got.headers).toMatchObject({ etag: '"1"' });
    expect(got.headers).not.toHaveProperty('content-encoding');
    expect(asked).toMatchObject({ 'accept-encoding': 'br, gzip', 'user-agent': 'castellan-test' });
  });

  it('takes no text from an answer without one, however it says that it is encoded', async () => {
    answer = { status: 304, headers: { 'content-encoding': 'gzip' } };
    expect(await ask()).toMatchObject({ status: 304, body: '' });
  });

  it('joins a header that is there twice, and passes cookies on to nobody', async () => {
    answer = { headers: { 'x-thing': ['one', 'two'], 'set-cookie': ['a=1', 'b=2'] }, body: TEXT };
    const { headers } = await ask();
    expect(headers).toMatchObject({ 'x-thing': 'one, two' });
    expect(headers).not.toHaveProperty('set-cookie');
  });

  it('follows no redirect', async () => {
    answer = { status: 302, headers: { location: 'http://127.0.0.1:9/' }, body: '' };
    expect(await ask()).toMatchObject({ status: 302, headers: { location: 'http://127.0.0.1:9/' } });
  });

  const zeros = Buffer.alloc(4_096 * KIB);
  it.each([
    ['that is too large', undefined, zeros, 'too-large'],
    ['that would be too large when it is unpacked', 'gzip', gzipSync(zeros), 'too-large'],
    ['that would be too large when it is unpacked', 'br', brotliCompressSync(zeros), 'too-large'],
    ['that breaks off in its encoding', 'gzip', gzipSync(TEXT).subarray(0, -20), 'unreachable'],
    ['that is not encoded as it says', 'br', Buffer.from(TEXT), 'unreachable'],
    ['in an encoding that nobody asked for', 'compress', Buffer.from(TEXT), 'unusable'],
    ['in an encoding that objects have a property of', 'constructor', Buffer.from(TEXT), 'unusable'],
  ])('refuses an answer %s (%s)', async (_, encoding, body, fault) => {
    answer = { headers: { ...(encoding && { 'content-encoding': encoding }) }, body };
    await expect(ask()).rejects.toMatchObject({ name: 'ProviderError', fault });
  });

  it('ends in time, when nothing comes', async () => {
    answer = undefined;
    await expect(ask({ milliseconds: 100, bytes: KIB })).rejects.toMatchObject({ fault: 'timeout' });
  });
});
