import { importJWK, type JWK, SignJWT } from 'jose';
import { type JwkSet, publicHalf } from './formats.ts';

/** Signature algorithms of ID and logout tokens. */
type IdTokenAlgorithm = 'RS256' | 'EdDSA';

/** Keys that sign the tokens of OpenID Connect: RSA, the standard's default, and the service's own Ed25519 (D80). */
export interface IdTokenKeys {
  /** RS256 first if there is an RSA key. */
  readonly algorithms: readonly IdTokenAlgorithm[];
  /** All RSA public keys, for `/.well-known/jwks.json`. */
  readonly rsaPublicKeys: readonly JWK[];
  /** All private keys; of each algorithm the first signs (D80). */
  readonly privateKeys: readonly JWK[];
  sign(algorithm: IdTokenAlgorithm, type: string, claims: Readonly<Record<string, unknown>>): Promise<string>;
}

/** @param issuer BASE_URL */
export async function loadIdTokenKeys({ keys, rsaKeys = [] }: JwkSet, issuer: string): Promise<IdTokenKeys> {
  const privateKeys = [...privateOf(rsaKeys, 'RS256'), ...privateOf(keys, 'EdDSA')];
  const algorithms = [...new Set(privateKeys.map(({ alg }) => alg))];
  const signers = new Map(
    await Promise.all(
      algorithms.map(async (algorithm) => {
        const jwk = privateKeys.find(({ alg }) => alg === algorithm) as JWK;
        return [algorithm, { kid: jwk.kid, key: await importJWK(jwk) }] as const;
      }),
    ),
  );
  return {
    algorithms,
    rsaPublicKeys: rsaKeys.map((key) => ({ ...publicHalf(key), alg: 'RS256', use: 'sig' })),
    privateKeys,
    async sign(algorithm, type, claims) {
      const signer = signers.get(algorithm);
      if (signer?.kid === undefined) throw new Error(`there is no key for ${algorithm}`);
      const { kid, key } = signer;
      return new SignJWT({ ...claims })
        .setProtectedHeader({ alg: algorithm, kid, typ: type })
        .setIssuer(issuer)
        .sign(key);
    },
  };
}

/** `alg` is set, because the library would otherwise offer PS256 as well. */
function privateOf(
  keys: readonly { readonly d?: string | undefined }[],
  alg: IdTokenAlgorithm,
): (JWK & { readonly alg: IdTokenAlgorithm })[] {
  return keys.flatMap(({ d, ...key }) => (d === undefined ? [] : [{ ...key, d, alg, use: 'sig' }]));
}
