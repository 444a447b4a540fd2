import { randomBytes } from 'node:crypto';
import type { OpenApiZodAny } from '@anatine/zod-openapi';
import { describe, expect, it } from 'vitest';
import { Configuration } from '../../../contract/system.ts';
import { readSettings, SettingsError } from '../../../server/config/settings.ts';
import { redactSettings } from '../../../server/system/configuration.ts';
import { newSigningKey } from '../../harness/app.ts';

const signing = await newSigningKey();
const encryption = randomBytes(32);

const production = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://castellan:pass-canary@db/castellan',
  BASE_URL: 'https://castellan.example',
  TOKEN_SIGNING_KEYS: JSON.stringify({ keys: [signing] }),
  ENCRYPTION_KEYS: `one:${encryption.toString('base64')}`,
  SSO_CLIENT_ID: 'client',
  SSO_CLIENT_SECRET: 'secret-canary',
};

function problems(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  try {
    readSettings(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

describe('D61: settings', () => {
  it('no setting is required outside production', () => {
    expect(readSettings({})).toMatchObject({
      production: false,
      host: '127.0.0.1',
      port: 8080,
      baseUrl: 'http://127.0.0.1:8080',
      metricsHost: '127.0.0.1',
      metricsPort: 9464,
      databaseUrl: undefined,
      dataDir: expect.stringMatching(/\/\.data$/),
      sso: { clientId: undefined },
      extApi: { scopePrefix: 'esi-' },
      tokenSigningKeys: undefined,
      encryptionKeys: undefined,
      forceKeyRemoval: false,
      forceGrantLoss: false,
      rateLimit: 600,
      trustedProxies: [],
      corsOrigins: undefined,
      callbackAllowPrivate: true,
      logLevel: 'info',
      logFormat: undefined,
      drainSeconds: 0,
      workers: 'embedded',
    });
  });

  it('an empty variable counts as not set', () => {
    const names = [...Object.keys(production), 'PORT', 'LOG_LEVEL', 'CORS_ORIGINS', 'VOICE_URL', 'HOST'];
    expect(readSettings(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(readSettings({}));
  });

  it('the base URL follows host and port, without a slash at its end', () => {
    expect(readSettings({ PORT: '9000' }).baseUrl).toBe('http://127.0.0.1:9000');
    expect(readSettings({ HOST: '::1', PORT: '9000' }).baseUrl).toBe('http://[::1]:9000');
    expect(readSettings({ BASE_URL: 'https://castellan.example//' }).baseUrl).toBe(
      'https://castellan.example',
    );
  });

  it('in production all required settings must be given, and the missing ones are named together', () => {
    expect(readSettings(production)).toMatchObject({
      production: true,
      host: '0.0.0.0',
      callbackAllowPrivate: false,
    });
    expect(problems({ NODE_ENV: 'production' })).toEqual(
      Object.keys(production)
        .filter((name) => name !== 'NODE_ENV')
        .map((name) => `${name}: must be given when NODE_ENV is production`),
    );
    for (const name of Object.keys(production).slice(1)) {
      expect(problems({ ...production, [name]: undefined })).toEqual([
        `${name}: must be given when NODE_ENV is production`,
      ]);
    }
  });

  it('all problems are reported together, by name, without the values of secrets', () => {
    const env = {
      ...production,
      PORT: '80a',
      METRICS_PORT: '70000',
      BASE_URL: 'not a URL',
      SSO_URL: 'ftp://login.example',
      DATABASE_URL: 'mysql://user:pass-canary@db',
      TOKEN_SIGNING_KEYS: '{"keys":[{"kty":"oct","k":"key-canary"}]}',
      ENCRYPTION_KEYS: 'one:c2hvcnQ=',
      VOICE_URL: 'http://user:voice-canary@voice',
      RATE_LIMIT: '-1',
      TRUSTED_PROXIES: 'nonsense',
      CORS_ORIGINS: 'fleet.example',
      CALLBACK_ALLOW_PRIVATE: 'yes',
      FORCE_KEY_REMOVAL: 'perhaps',
      FORCE_GRANT_LOSS: 'never',
      LOG_LEVEL: 'loud',
      LOG_FORMAT: 'xml',
      DRAIN_SECONDS: '-1',
      WORKERS: 'many',
      EXT_COMPATIBILITY_DATE: 'yesterday',
      EXT_SCOPE_PREFIX: 'ESI',
      EXT_USER_AGENT: 'a\nb',
    };
    const found = problems(env);
    const named = [...new Set(found.map((problem) => problem.split(':')[0]))].sort();
    const given = ['NODE_ENV', 'SSO_CLIENT_ID', 'SSO_CLIENT_SECRET'];
    expect(named).toEqual(
      Object.keys(env)
        .filter((name) => !given.includes(name))
        .sort(),
    );
    expect(found.join()).not.toContain('canary');
    expect(found.join()).not.toContain('c2hvcnQ');
  });

  it.each(['HOST', 'METRICS_HOST'])('outside production %s may be a loopback address only', (name) => {
    for (const loopback of ['127.0.0.1', '127.8.8.8', '::1', 'localhost']) {
      expect(problems({ [name]: loopback })).toEqual([]);
    }
    for (const open of ['0.0.0.0', '::', '10.0.0.1', 'castellan.example', '192.168.1.1']) {
      expect(problems({ [name]: open })).toEqual([
        `${name}: only a loopback address is listened on unless NODE_ENV is production`,
      ]);
      expect(problems({ ...production, [name]: open })).toEqual([]);
    }
  });

  it('NODE_ENV is empty, development, test or production; anything else is refused', () => {
    for (const NODE_ENV of ['', 'development', 'test']) {
      expect(readSettings({ NODE_ENV })).toMatchObject({ production: false });
    }
    for (const NODE_ENV of ['prod', 'Production', 'production ', 'staging', '1']) {
      expect(problems({ NODE_ENV })).toEqual(['NODE_ENV: must be development, test or production']);
    }
  });

  it('RATE_LIMIT is at most a million a minute', () => {
    expect(readSettings({ RATE_LIMIT: '1000000' }).rateLimit).toBe(1_000_000);
    expect(problems({ RATE_LIMIT: '1000001' })).toEqual([
      'RATE_LIMIT: must be at most 1000000; 0 sets no limit',
    ]);
  });

  it('in production the metrics are read on loopback unless METRICS_HOST says otherwise', () => {
    expect(readSettings(production).metricsHost).toBe('127.0.0.1');
    expect(readSettings({ ...production, HOST: '10.0.0.7' }).metricsHost).toBe('127.0.0.1');
    expect(readSettings({ ...production, METRICS_HOST: '0.0.0.0' }).metricsHost).toBe('0.0.0.0');
  });

  it('D61: blanks around a URL are removed; parts that the setting does not allow are refused', () => {
    expect(readSettings({ BASE_URL: ' https://castellan.example/\r' }).baseUrl).toBe(
      'https://castellan.example',
    );
    const spec = 'https://api.example/swagger.json?datasource=live';
    expect(problems({ EXT_API_SPEC_URL: spec })).toEqual([]);
    for (const [url, message] of [
      ['https://user:pass-canary@sso.example', 'must be without user, password and fragment'],
      ['https://sso.example/#there', 'must be without user, password and fragment'],
      ['https://sso.example/a b', 'must be without blanks'],
      ['https://sso.example/?a=b', 'must be without a query'],
    ]) {
      expect(problems({ SSO_URL: url }), url).toEqual([`SSO_URL: ${message}`]);
    }
  });

  it('D61, D33b: the client’s id and secret lose the line end that a store appended, and nothing else; a group’s name its blanks', () => {
    const given = { SSO_CLIENT_ID: 'client\n', SSO_CLIENT_SECRET: ' secret \r\n' };
    const { sso, voice } = readSettings({ ...given, VOICE_AUTH_GROUP: ` ${'V'.repeat(30)}\r` });
    expect(sso).toMatchObject({ clientId: 'client', clientSecret: ' secret ' });
    expect(voice.authGroup).toBe('V'.repeat(30));
    for (const name of ['SSO_CLIENT_ID', 'SSO_CLIENT_SECRET', 'VOICE_AUTH_GROUP']) {
      expect(problems({ ...production, [name]: ' \n' })).toEqual([`${name}: must not be blank`]);
    }
  });

  it.each(['BASE_URL', 'SSO_URL', 'EXT_API_URL', 'EXT_API_SPEC_URL', 'EXT_IMAGE_URL'])(
    'in production %s of another host than loopback is https',
    (name) => {
      for (const insecure of [
        ...['http://castellan.example', 'http://10.0.0.1:8080', 'HTTP://castellan.example/x'],
        ...['http://localhost.example', 'http://127.0.0.1.example'],
        ...['http://[fd00::1]/', 'http://0.0.0.0'],
      ]) {
        expect(problems({ ...production, [name]: insecure }), insecure).toEqual([
          `${name}: must be https when NODE_ENV is production, unless it is loopback`,
        ]);
        expect(problems({ [name]: insecure }), insecure).toEqual([]);
      }
      for (const secure of [
        ...['https://castellan.example', 'http://localhost:8080', 'http://127.0.0.1:8080'],
        ...['http://127.8.8.8', 'http://[::1]:8080/x', 'http://2130706433'],
      ]) {
        expect(problems({ ...production, [name]: secure }), secure).toEqual([]);
      }
    },
  );

  it('everything that production refuses is named together', () => {
    const { DATABASE_URL: _, ...lacking } = production;
    const zeros = Buffer.alloc(32);
    const found = problems({
      ...lacking,
      BASE_URL: 'http://castellan.example',
      EXT_API_URL: 'http://api.example',
      ENCRYPTION_KEYS: `one:${zeros.toString('base64')}`,
      TOKEN_SIGNING_KEYS: JSON.stringify({ keys: [{ ...signing, d: zeros.toString('base64url') }] }),
      LOG_LEVEL: 'loud',
    });
    expect(found.map((problem) => problem.split(':')[0]).sort()).toEqual(
      [
        'BASE_URL',
        'DATABASE_URL',
        'ENCRYPTION_KEYS',
        'EXT_API_URL',
        'LOG_LEVEL',
        'TOKEN_SIGNING_KEYS',
      ].sort(),
    );
  });

  it('a client id requires a client secret', () => {
    expect(problems({ SSO_CLIENT_ID: 'client' })).toEqual([
      'SSO_CLIENT_SECRET: must be given together with SSO_CLIENT_ID',
    ]);
  });

  it('lists are parsed; proxies are addresses, networks or their names', () => {
    expect(readSettings({ TRUSTED_PROXIES: ' 10.0.0.0/8, ::1,loopback ,' }).trustedProxies).toEqual([
      '10.0.0.0/8',
      '::1',
      'loopback',
    ]);
    for (const TRUSTED_PROXIES of ['10.0.0.0/33', '0.0.0.0/0', '::/0', 'all', 'true', '10.0.0', '1']) {
      expect(problems({ TRUSTED_PROXIES }), TRUSTED_PROXIES).toHaveLength(1);
    }
    const CORS_ORIGINS = 'https://fleet.example,http://localhost:3000';
    expect(readSettings({ CORS_ORIGINS }).corsOrigins).toEqual(CORS_ORIGINS.split(','));
    for (const wrong of ['https://fleet.example/', 'fleet.example', 'https://a/b', '*']) {
      expect(problems({ CORS_ORIGINS: wrong }), wrong).toHaveLength(1);
    }
  });
});

describe('D20b: TOKEN_SIGNING_KEYS', () => {
  const read = (keys: unknown) => problems({ TOKEN_SIGNING_KEYS: JSON.stringify({ keys }) });
  const { d: _, ...verifyOnly } = signing;

  it('is a JWK set of Ed25519 keys with distinct kids, at least one with its private part', async () => {
    const other = await newSigningKey();
    expect(read([signing])).toEqual([]);
    expect(read([verifyOnly, other])).toEqual([]);
    for (const wrong of [
      [],
      [verifyOnly],
      [signing, { ...other, kid: signing.kid }],
      [{ ...signing, kid: undefined }],
      [{ ...signing, crv: 'X25519' }],
      [{ ...signing, x: 'short' }],
      [{ ...signing, d: `${signing.d}x` }],
      [{ ...signing, x: other.x }],
      'keys',
    ]) {
      expect(read(wrong).length, JSON.stringify(wrong)).toBeGreaterThan(0);
    }
    for (const byte of [0, 7, 255]) {
      const same = Buffer.alloc(32, byte).toString('base64url');
      for (const part of ['x', 'd']) {
        expect(read([{ ...signing, [part]: same }])).toEqual([
          `TOKEN_SIGNING_KEYS: key ${signing.kid} is one byte over and over`,
        ]);
      }
    }
    expect(problems({ TOKEN_SIGNING_KEYS: '{' })).toEqual([
      'TOKEN_SIGNING_KEYS: is not JSON (a JWK set is wanted)',
    ]);
  });
});

describe('D34: ENCRYPTION_KEYS', () => {
  const read = (ENCRYPTION_KEYS: string) => readSettings({ ENCRYPTION_KEYS }).encryptionKeys;

  it('are pairs of id and 32 bytes; the first encrypts', () => {
    const two = randomBytes(32);
    expect(read(`two:${two.toString('base64')}, one:${encryption.toString('base64')}`)).toEqual([
      { id: 'two', key: two },
      { id: 'one', key: encryption },
    ]);
  });

  it('or are hexadecimal, or a JWK set', () => {
    expect(read(`one:${encryption.toString('hex')}`)).toEqual([{ id: 'one', key: encryption }]);
    const jwk = { kty: 'oct', kid: 'one', k: encryption.toString('base64url') };
    expect(read(JSON.stringify({ keys: [jwk] }))).toEqual([{ id: 'one', key: encryption }]);
  });

  it.each([0, 7, 255])('D61: are not the byte %i over and over, in none of their forms', (byte) => {
    const key = Buffer.alloc(32, byte);
    for (const ENCRYPTION_KEYS of [
      `one:${key.toString('base64')}`,
      `one:${key.toString('hex')}`,
      JSON.stringify({ keys: [{ kty: 'oct', kid: 'one', k: key.toString('base64url') }] }),
    ]) {
      expect(problems({ ENCRYPTION_KEYS })).toEqual(['ENCRYPTION_KEYS: key one is one byte over and over']);
    }
  });

  it.each([
    'one',
    ':AAAA',
    `one:${randomBytes(31).toString('base64')}`,
    `one:${encryption.toString('base64')},one:${randomBytes(32).toString('base64')}`,
    `one two:${encryption.toString('base64')}`,
    '{"keys":[]}',
    '{',
  ])('case %#: anything else is refused without being shown', (ENCRYPTION_KEYS) => {
    const found = problems({ ENCRYPTION_KEYS });
    expect(found.length).toBeGreaterThan(0);
    expect(found.join()).not.toContain(encryption.toString('base64').slice(0, 10));
  });
});

describe('D51: the configuration', () => {
  it('has the names that the document shows', () => {
    const shown = redactSettings(readSettings(production));
    const { example } = (Configuration as OpenApiZodAny).metaOpenApi as { example: object };
    expect(Object.keys(shown)).toEqual(expect.arrayContaining(Object.keys(example)));
  });
});
