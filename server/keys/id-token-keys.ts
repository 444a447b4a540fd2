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
  /** Private keys that sign, one for each algorithm. */
  readonly privateKeys: readonly JWK[];
  sign(algorithm: IdTokenAlgorithm, type: string, claims: Readonly<Record<string, unknown>>): Promise<string>;
}

/** @param issuer BASE_URL */
export async function loadIdTokenKeys({ keys, rsaKeys = [] }: JwkSet, issuer: string): Promise<IdTokenKeys> {
  const rsa = rsaKeys.find((key) => key.d !== undefined);
  const ed25519 = keys.find((key) => key.d !== undefined);
  // `alg` is set, because the library would otherwise offer PS256 as well.
  const privateKeys = [
    ...(rsa === undefined ? [] : [{ ...rsa, alg: 'RS256', use: 'sig' }]),
    ...(ed25519 === undefined ? [] : [{ ...ed25519, alg: 'EdDSA', use: 'sig' }]),
  ] as JWK[];
  const signers = new Map(
    await Promise.all(privateKeys.map(async (key) => [key.alg, await importJWK(key)] as const)),
  );
  return {
    algorithms: privateKeys.map(({ alg }) => alg as IdTokenAlgorithm),
    rsaPublicKeys: rsaKeys.map((key) => ({ ...publicHalf(key), alg: 'RS256', use: 'sig' })),
    privateKeys,
    async sign(algorithm, type, claims) {
      const key = signers.get(algorithm);
      const kid = privateKeys.find(({ alg }) => alg === algorithm)?.kid;
      if (key === undefined || kid === undefined) throw new Error(`there is no key for ${algorithm}`);
      return new SignJWT({ ...claims })
        .setProtectedHeader({ alg: algorithm, kid, typ: type })
        .setIssuer(issuer)
        .sign(key);
    },
  };
}
