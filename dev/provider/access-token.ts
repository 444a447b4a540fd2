import { randomUUID } from 'node:crypto';
import {
  base64url,
  CompactSign,
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWK,
  jwtVerify,
} from 'jose';
import type { Character } from '../world/world.ts';

/** Key id of the provider's RS256 key (provider.md §1). */
const RSA_KEY_ID = 'JWT-Signature-Key';
const EC_KEY_ID = 'ES256-Signature-Key';
/** The audience that every access token names besides its application. */
export const GAME_AUDIENCE = 'EVE Online';
const LIFETIME_SECONDS = 1_200;

/** An access token before it is signed, for tests that want a bad one. */
export interface AccessTokenDraft {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  /** `own`: the provider's RS256 key. `foreign`: an RS256 key of nobody. `public`: HMAC with our public key's PEM. */
  signer: 'own' | 'foreign' | 'public' | 'none';
}

export interface TokenFacts {
  readonly characterId: number;
  readonly application: string;
  readonly scopes: readonly string[];
}

export interface AccessTokens {
  readonly jwks: { readonly keys: readonly JWK[] };
  issue(
    character: Character,
    scopes: readonly string[],
    mutate?: (draft: AccessTokenDraft) => void,
  ): Promise<string>;
  /** What the API believes of a token; undefined when it refuses it. */
  verify(token: string): Promise<TokenFacts | undefined>;
}

interface Keys {
  readonly own: CryptoKey;
  readonly ownPublic: CryptoKey;
  readonly foreign: CryptoKey;
  readonly publicPem: Uint8Array;
  readonly jwks: { readonly keys: readonly JWK[] };
}

let keys: Promise<Keys> | undefined;

/** Made once for each process: making RSA keys takes longer than everything else at the start. */
async function makeKeys(): Promise<Keys> {
  const [rsa, ec, foreign] = await Promise.all([
    generateKeyPair('RS256', { extractable: true }),
    generateKeyPair('ES256', { extractable: true }),
    generateKeyPair('RS256'),
  ]);
  const [rsaJwk, ecJwk, pem] = await Promise.all([
    exportJWK(rsa.publicKey),
    exportJWK(ec.publicKey),
    exportSPKI(rsa.publicKey),
  ]);
  return {
    own: rsa.privateKey,
    ownPublic: rsa.publicKey,
    foreign: foreign.privateKey,
    publicPem: new TextEncoder().encode(pem),
    jwks: {
      keys: [
        { ...rsaJwk, alg: 'RS256', kid: RSA_KEY_ID, use: 'sig' },
        { ...ecJwk, alg: 'ES256', kid: EC_KEY_ID, use: 'sig' },
      ],
    },
  };
}

export async function createAccessTokens(options: {
  readonly clientId: string;
  readonly issuer: string;
  readonly now: () => Date;
}): Promise<AccessTokens> {
  keys ??= makeKeys();
  const { own, ownPublic, foreign, publicPem, jwks } = await keys;

  async function sign({ header, claims, signer }: AccessTokenDraft): Promise<string> {
    const payload = new TextEncoder().encode(JSON.stringify(claims));
    if (signer === 'none') return `${base64url.encode(JSON.stringify(header))}.${base64url.encode(payload)}.`;
    const key = { own, foreign, public: publicPem }[signer];
    return await new CompactSign(payload)
      .setProtectedHeader({ ...header, alg: String(header.alg) })
      .sign(key);
  }

  return {
    jwks,
    async issue(character, scopes, mutate) {
      const issuedAt = Math.floor(options.now().getTime() / 1_000);
      const draft: AccessTokenDraft = {
        header: { alg: 'RS256', kid: RSA_KEY_ID, typ: 'JWT' },
        claims: {
          ...(scopes.length === 0 ? {} : { scp: scopes.length === 1 ? scopes[0] : scopes }),
          jti: randomUUID(),
          kid: RSA_KEY_ID,
          sub: `CHARACTER:EVE:${character.id}`,
          azp: options.clientId,
          tenant: 'tranquility',
          tier: 'live',
          region: 'world',
          aud: [options.clientId, GAME_AUDIENCE],
          name: character.name,
          owner: character.owner,
          exp: issuedAt + LIFETIME_SECONDS,
          iat: issuedAt,
          iss: options.issuer,
        },
        signer: 'own',
      };
      mutate?.(draft);
      return await sign(draft);
    },
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, ownPublic, {
          algorithms: ['RS256'],
          audience: GAME_AUDIENCE,
          issuer: options.issuer,
          currentDate: options.now(),
          requiredClaims: ['exp', 'sub'],
        });
        const id = /^CHARACTER:EVE:(\d+)$/.exec(payload.sub ?? '')?.[1];
        if (id === undefined) return undefined;
        const scopes = payload.scp === undefined ? [] : [payload.scp].flat().map(String);
        return { characterId: Number(id), application: String(payload.azp), scopes };
      } catch {
        return undefined;
      }
    },
  };
}
