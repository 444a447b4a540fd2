import { z } from 'zod';
import { redactText } from '../observability/redact.ts';
import { jsonOf } from './http.ts';

const OAuthError = z.object({ error: z.string(), error_description: z.string().catch('') });

/** The only answers to a refresh that mean an invalid refresh token (provider.md §1, D34). */
const DEADLY: ReadonlyMap<string, RegExp> = new Map([
  [
    'invalid_grant',
    /(Token missing\/expired|Character grant missing\/expired|Unable to migrate grant|The authorization grant could not be found)\.?$/,
  ],
  ['invalid_token', /(The refresh token is expired|does not match the client specified)\.?$/],
]);
const EXPIRED_IN_CODE = /^invalid_grant: Token is expired/;
/** The description of an `invalid_grant` that is our own mistake. */
export const GRANT_TYPE_UNKNOWN = /^Grant type (\S+ )?is not supported/;
/** With the type's name it is the answer to a client id that the sign-on does not know (provider.md §1). */
export const CLIENT_UNKNOWN = /^Grant type \S+ is not supported/;

/** The error that the sign-on tells with a 4xx, whatever its other headers are; undefined for any other answer. */
export async function oauthErrorOf(response: Response): Promise<z.infer<typeof OAuthError> | undefined> {
  if (response.status < 400 || response.status >= 500) return undefined;
  return OAuthError.safeParse(await jsonOf(response)).data;
}

/**
 * The provider's description when it declares the refresh token invalid, without the token itself, which it may repeat;
 * undefined for any other answer.
 */
export async function causeOfDeath(response: Response, refreshToken: string): Promise<string | undefined> {
  const told = await oauthErrorOf(response);
  if (told === undefined) return undefined;
  const { error, error_description: description } = told;
  const deadly = DEADLY.get(error)?.test(description) || EXPIRED_IN_CODE.test(error);
  if (!deadly) return undefined;
  return redactText(`${error}: ${description}`.replace(/: $/, ''), [refreshToken]).slice(0, 200);
}
