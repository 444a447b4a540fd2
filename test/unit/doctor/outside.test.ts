import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CompleteSettings } from '../../../server/config/settings.ts';
import { examineContact, examineDisk, examineOutside } from '../../../server/doctor/outside.ts';

let server: Server;
let headers: Record<string, string>;
let url: string;
beforeEach(async () => {
  headers = {};
  server = createServer((_req, res) => res.writeHead(200, headers).end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => server.close());

async function signOn() {
  const settings = { sso: { url }, extApi: { specUrl: url }, baseUrl: url } as CompleteSettings;
  const [found] = await examineOutside(settings);
  return found;
}

describe('the doctor compares this machine’s clock with that of the game’s sign-on', () => {
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();

  it.each([
    [{}, 'good'],
    [{ date: at(-20) }, 'good'],
    // Made an hour ago, and kept by a cache since.
    [{ date: at(-3600), age: '3600' }, 'good'],
    [{ date: 'some day' }, 'good'],
  ])('%j is %s', async (told, state) => {
    headers = told;
    expect(await signOn()).toMatchObject({ state });
  });

  it.each([
    [90, /^the clock of 127\.0\.0\.1:\d+ is (8|9)\d s ahead of this machine's$/],
    [-3600, /^the clock of 127\.0\.0\.1:\d+ is 36\d\d s behind this machine's$/],
  ])('%i s are too many: no token of the sign-on would be accepted', async (seconds, says) => {
    headers = { date: at(seconds) };
    expect(await signOn()).toMatchObject({
      about: "the game's sign-on",
      state: 'bad',
      says: expect.stringMatching(says),
      advice: expect.stringContaining('NTP'),
    });
  });
});

it('the doctor asks for a contact in EXT_USER_AGENT, in production', () => {
  const find = (production: boolean, userAgent: string) =>
    examineContact({ production, extApi: { userAgent } } as CompleteSettings).map(({ state }) => state);
  expect(find(true, 'castellan/0.1.0 (contact not set)')).toEqual(['mind']);
  expect(find(true, 'castellan/0.1.0 (ops@example.org)')).toEqual([]);
  expect(find(false, 'castellan/0.1.0 (contact not set)')).toEqual([]);
});

it('the doctor says that TMPDIR cannot be used, and goes on', async () => {
  vi.stubEnv('TMPDIR', '/nowhere/at/all');
  try {
    expect(await examineDisk()).toMatchObject({
      state: 'bad',
      says: expect.stringMatching(/^\/nowhere\/at\/all cannot be used: ENOENT/),
      advice: expect.stringContaining('TMPDIR'),
    });
  } finally {
    vi.unstubAllEnvs();
  }
});
