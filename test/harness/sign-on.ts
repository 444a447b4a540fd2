import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';

interface Scripted {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent unchanged, anything else as JSON. */
  readonly body: unknown;
}

/** A sign-on whose answers the test can replace; by default they are correct. */
export interface ScriptedSignOn {
  readonly url: string;
  metadata: Scripted;
  jwks: Scripted;
  token: Scripted;
  /** The public RS256 key, `kid` "rsa", and an ES256 key, `kid` "ec": both are in the key set. */
  readonly keys: { readonly rsa: CryptoKey; readonly ec: CryptoKey; readonly jwks: readonly JWK[] };
  /** An access token of character `id`; claims set to undefined are left out. */
  accessToken(
    id: number,
    change?: { header?: Partial<JWTHeaderParameters>; claims?: Record<string, unknown>; key?: CryptoKey },
  ): Promise<string>;
  stop(): Promise<void>;
}

/** @param now the time of the service that it signs for */
export async function startSignOn(clientId: string, now: () => Date): Promise<ScriptedSignOn> {
  const [rsa, ec] = await Promise.all([
    generateKeyPair('RS256', { extractable: true }),
    generateKeyPair('ES256', { extractable: true }),
  ]);
  const jwks = [
    { ...(await exportJWK(rsa.publicKey)), kid: 'rsa', alg: 'RS256', use: 'sig' },
    { ...(await exportJWK(ec.publicKey)), kid: 'ec', alg: 'ES256', use: 'sig' },
  ];
  const server = createServer((request, response) => {
    request.resume();
    const { pathname } = new URL(request.url ?? '/', 'http://sign-on');
    const answer = pathname.endsWith('-server')
      ? signOn.metadata
      : pathname.endsWith('/jwks')
        ? signOn.jwks
        : signOn.token;
    const { status = 200, type = 'application/json', headers, body } = answer;
    response.writeHead(status, { 'content-type': type, ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const signOn: ScriptedSignOn = {
    url,
    keys: { rsa: rsa.privateKey, ec: ec.privateKey, jwks },
    metadata: {
      body: {
        issuer: url,
        authorization_endpoint: `${url}/v2/oauth/authorize`,
        token_endpoint: `${url}/v2/oauth/token`,
        revocation_endpoint: `${url}/v2/oauth/revoke`,
        jwks_uri: `${url}/oauth/jwks`,
      },
    },
    jwks: { body: { keys: jwks } },
    token: { status: 500, body: 'no token was written for this test' },
    async accessToken(id, { header, claims, key = rsa.privateKey } = {}) {
      const issued = Math.floor(now().getTime() / 1000);
      const usual = {
        jti: crypto.randomUUID(),
        sub: `CHARACTER:EVE:${id}`,
        name: `Character ${id}`,
        owner: `owner of ${id}`,
        azp: clientId,
        aud: [clientId, 'EVE Online'],
        scp: 'publicData',
        iss: url,
        iat: issued,
        exp: issued + 1200,
      };
      return new SignJWT(JSON.parse(JSON.stringify({ ...usual, ...claims })))
        .setProtectedHeader({ alg: 'RS256', kid: 'rsa', ...header })
        .sign(key);
    },
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
  return signOn;
}
