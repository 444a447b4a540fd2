import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactText, redactValues } from '../../../server/observability/redact.ts';
import { cpuTimeOf } from '../../harness/cpu-time.ts';

const HIDDEN = '**********';

/** Names of claims: as they start with a letter, every JWT begins in the same way. */
const name = fc.stringMatching(/^[a-zA-Z][\w:/.-]*$/);

/** The three parts of a text in the form of a JWT. */
const jwt = fc
  .tuple(
    fc.dictionary(name, fc.string(), { minKeys: 1 }),
    fc.dictionary(name, fc.oneof(fc.string(), fc.integer()), { minKeys: 1 }),
    fc.uint8Array({ minLength: 8, maxLength: 64 }),
  )
  .map(([header, payload, signature]) =>
    [JSON.stringify(header), JSON.stringify(payload), signature].map((part) =>
      Buffer.from(part as string).toString('base64url'),
    ),
  )
  .filter(([header = '', payload = '']) => header.length > 8 && payload.length > 8);

/** Characters that may stand beside a token; those of tokens would be read as part of it. */
const aside = fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replaceAll(/[\w.-]+$/g, ''));

describe('D8, D50: redactText', () => {
  it('removes every JWT, wherever it stands', () => {
    fc.assert(
      fc.property(
        jwt,
        fc.string({ maxLength: 40 }),
        aside,
        ([header = '', payload = '', signature = ''], before, after) => {
          const clean = redactText(`${before}${header}.${payload}.${signature} ${after}`);
          expect(clean).not.toContain(header);
          expect(clean).not.toContain(payload);
          expect(clean).not.toContain(signature);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('removes also the beginning of one, and a percent-encoded one', () => {
    fc.assert(
      fc.property(
        jwt,
        fc.constantFrom('%3D', '%22', 'x', '_', '9', '='),
        ([header = '', payload = '', signature], before) => {
          for (const text of [
            `${before}${header}`,
            `${before}${header}.${payload}`,
            `${before}${header}%2E${payload}%2e${signature}`,
          ]) {
            expect(redactText(text)).not.toContain(header);
            expect(redactText(text)).not.toContain(payload);
          }
        },
      ),
    );
  });

  it.each([
    ['Authorization: Bearer abc.def', `Authorization: Bearer ${HIDDEN}`],
    ['basic dXNlcjpwYXNz', `basic ${HIDDEN}`],
    ['postgres://ada:pass@db/castellan', `postgres://ada:${HIDDEN}@db/castellan`],
    ['ts3query://:pass@voice:10011', `ts3query://:${HIDDEN}@voice:10011`],
    ['/cb?code=abc&state=def#x', `/cb?code=${HIDDEN}&state=${HIDDEN}#x`],
    ['/cb?page=7&state_code=a%20b&last=9', `/cb?page=7&state_code=${HIDDEN}&last=9`],
    ['?next=https%3A%2F%2Fa%3Fcode%3Dabc%26x%3D1', `?next=https%3A%2F%2Fa%3Fcode%3D${HIDDEN}%26x%3D1`],
    ['/user/Ada%20Vale?verbose=1', '/user/Ada%20Vale?verbose=1'],
    ['the key to all this is: a=b', 'the key to all this is: a=b'],
    ['keyed by https://fleet.example:8080/a@b', 'keyed by https://fleet.example:8080/a@b'],
    ['refresh_token=abc&grant_type=refresh_token', `refresh_token=${HIDDEN}&grant_type=refresh_token`],
    ['{"refresh_token": "a\\"b","expires_in":1199}', `{"refresh_token": "${HIDDEN}","expires_in":1199}`],
    ["{ refresh_token: 'abc', code: 'ECONNRESET' }", `{ refresh_token: '${HIDDEN}', code: 'ECONNRESET' }`],
    ['{"token":{"refresh_token":"abc"}}', `{"token":{"refresh_token":"${HIDDEN}"}}`],
    ['%7B%22tkn_token%22%3A%22abc%22%7D', `%7B%22tkn_token%22%3A%22${HIDDEN}%22%7D`],
    ["host=db password='a b' user=ada", `host=db password='${HIDDEN}' user=ada`],
    ['postgres://ada:p/a@s:s@db/castellan', `postgres://ada:${HIDDEN}@db/castellan`],
    ['postgres://ada:12/34@db', `postgres://ada:${HIDDEN}@db`],
    ['postgres%3A%2F%2Fada%3Ap%40ss%40db%2Fcastellan', `postgres%3A%2F%2Fada%3A${HIDDEN}%40db%2Fcastellan`],
    ['http://[::1]:8080/a@b', 'http://[::1]:8080/a@b'],
    ['{"status_code":404}', '{"status_code":404}'],
    ['JsonWebTokenError: malformed', 'JsonWebTokenError: malformed'],
    ['at token (/castellan/server/token/token.ts:12:5)', 'at token (/castellan/server/token/token.ts:12:5)'],
  ])('%s becomes %s', (text, clean) => {
    expect(redactText(text)).toBe(clean);
  });

  it('removes every planted secret, in whatever notation', () => {
    const written: ((secret: string) => string)[] = [
      (secret) => `refresh_token=${encodeURIComponent(secret)}&grant_type=refresh_token`,
      (secret) => `grant_type=refresh_token&refresh_token=${encodeURIComponent(secret)}`,
      (secret) => `https://sso.example/token?code_verifier=${encodeURIComponent(secret)}#top`,
      (secret) => JSON.stringify({ refresh_token: secret, expires_in: 1199 }),
      (secret) => JSON.stringify({ client_secret: secret, scope: '' }, null, 2),
      (secret) => JSON.stringify({ body: JSON.stringify({ error: null, access_token: secret }) }),
      (secret) => JSON.stringify(JSON.stringify(JSON.stringify({ refresh_token: secret, code: 1 }))),
      (secret) => `?params=${encodeURIComponent(JSON.stringify({ token: encodeURIComponent(secret) }))}`,
      (secret) => inspect({ password: secret, host: 'db' }),
      (secret) => `postgres://castellan:${secret.replaceAll(/["<>`]/g, '')}@db:5432/castellan?ssl=true`,
      (secret) => `ts3query://:${secret.replaceAll(/["<>`]/g, '')}@voice:10011`,
      (secret) => `https://${encodeURIComponent('a/b@c:d')}:${encodeURIComponent(secret)}@proxy.example/x`,
      (secret) => `/cb?next=${encodeURIComponent(`amqp://ada:${encodeURIComponent(secret)}@queue/`)}`,
    ];
    const inside = fc
      .string({ unit: 'grapheme-ascii', maxLength: 20 })
      .map((text) => text.replaceAll(' ', '/'));
    const prose = fc.stringMatching(/^(?:\w{0,8}[ .,!-]{1,2}){0,4}$/);
    fc.assert(
      fc.property(inside, fc.constantFrom(...written), prose, prose, (text, write, before, after) => {
        const clean = redactText(`${before} ${write(`canary${text}yranac`)} ${after}`);
        expect(clean).not.toMatch(/canary|yranac/);
      }),
      { numRuns: 3000 },
    );
  });

  it('changes nothing when applied again', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (url) => {
        expect(redactText(redactText(url))).toBe(redactText(url));
      }),
    );
  });

  it.each([
    ...[
      'a.',
      '%3Ftoken',
      '?token',
      '?token=',
      'eyJ',
      'Bearer ',
      'a://',
      'x://a:',
      '&',
      'x://a:b@',
      '%3A%2F%2F',
    ],
    ...[
      '"token":"',
      "'token': ",
      'token="',
      '\\',
      '\\"',
      'token=\\',
      '"token"  ',
      'token%22%3A%22',
      'token:',
      '@',
    ],
  ])('takes no more than a moment for a text of many %j', (piece) => {
    const text = piece.repeat(16_384 / piece.length);
    expect(cpuTimeOf(() => redactText(text))).toBeLessThan(100);
  });
});

describe('D50: redactValues', () => {
  it('hides values by their names, and searches the others', () => {
    expect(
      redactValues({
        Authorization: 'x',
        'set-cookie': ['a', 'b'],
        client_secret: 7,
        nested: { apiKey: 'x', list: ['Bearer abc', 1, null, { password: 'x', name: 'Ada' }] },
        plain: true,
        none: undefined,
      }),
    ).toEqual({
      Authorization: HIDDEN,
      'set-cookie': HIDDEN,
      client_secret: HIDDEN,
      nested: { apiKey: HIDDEN, list: [`Bearer ${HIDDEN}`, 1, null, { password: HIDDEN, name: 'Ada' }] },
      plain: true,
      none: undefined,
    });
  });
});
