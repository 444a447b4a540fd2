import { CastellanError, createCastellan, type ExtScope, type Person } from '@castellan/sdk';
import { type StartedLogin, signIn } from '@castellan/sdk/sign-in';
import { t } from '../text/text.ts';
import { HOME, SERVICE } from './addresses.ts';
import { castellan, isRefusal } from './api.ts';
import { beginSession, characterOf, currentToken, endSession } from './session.ts';
import { send } from './unreachable.ts';

const RETURN_TO = 'castellan.return-to';
const LINKING = 'castellan.linking';

interface Request {
  /** Scopes to request in addition to public data. */
  readonly scopes?: readonly ExtScope[];
  /** The code of an invitation. */
  readonly state_code?: string;
}

/** Sends the browser to the game's sign-on; afterwards it returns to `returnTo`. */
export async function startSignIn(
  request: Request = {},
  returnTo = location.pathname,
  note: () => void = () => undefined,
): Promise<void> {
  // Not an operation of the API: the console's own route in the server, which holds the console's app token.
  const response = await send(`${HOME}/sign-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(request),
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new CastellanError({ status: response.status, headers: response.headers, body });
  sessionStorage.setItem(RETURN_TO, returnTo);
  sessionStorage.removeItem(LINKING);
  note();
  signIn.start(body as StartedLogin);
}

/** The user token of another character, which proves its ownership. */
let proof: string | undefined;
/** Why another character that has just signed in cannot be linked, for the screen where somebody else is signed in. */
let unlinkable: string | undefined;
/** The id of whose session ended because another character was chosen at the sign-on. */
let replaced: number | undefined;

/** Whose session the present one replaced, if it was another character's. */
export function replacedByThis(): number | undefined {
  return replaced;
}

/** Ends a token that is not needed any more; it would end by itself within a day. */
function revoke(token: string): void {
  createCastellan({ baseUrl: SERVICE, token, fetch: send })
    .token.logout()
    .catch(() => undefined);
}

/** Sends the browser to the sign-on for another character, and keeps the present session. */
export async function startLinking(): Promise<void> {
  const asking = String(characterOf(currentToken()));
  await startSignIn({}, `${HOME}/characters`, () => sessionStorage.setItem(LINKING, asking));
}

/** Links the character that has just signed in, and revokes its token, which is not needed any more. */
export async function linkProven(): Promise<Person | undefined> {
  const user_token = proof;
  proof = undefined;
  const why = unlinkable;
  unlinkable = undefined;
  if (why !== undefined) throw new Error(why);
  if (user_token === undefined) return undefined;
  try {
    return await castellan.person.link({ body: { user_token } });
  } catch (error) {
    // Nobody filled in the field that the service names.
    const issues = error instanceof CastellanError ? error.issues : [];
    throw issues.length === 0 ? error : new Error(issues.map(({ msg }) => msg).join(' '), { cause: error });
  } finally {
    revoke(user_token);
  }
}

/**
 * Completes a sign-in that returns to this page, if there is one. Call it before anything is rendered.
 *
 * @returns why the sign-in failed, unless the screen that it returns to says so
 */
export function finishSignIn(): string | undefined {
  if (location.pathname !== `${HOME}/signed-in`) return undefined;
  try {
    const token = signIn.finish();
    if (token === undefined) return undefined;
    const former = currentToken();
    const linkingTo = sessionStorage.getItem(LINKING);
    if (linkingTo === null) replace(former, token);
    else if (linkingTo === String(characterOf(former))) proof = token;
    else {
      revoke(token);
      const why = t('You are not signed in any more as you were, so the character was not added.');
      if (former === undefined) return why;
      unlinkable = why;
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    const returnTo = sessionStorage.getItem(RETURN_TO) ?? '';
    sessionStorage.removeItem(RETURN_TO);
    sessionStorage.removeItem(LINKING);
    history.replaceState(null, '', returnTo.startsWith(`${HOME}/`) ? returnTo : `${HOME}/`);
  }
}

/** Begins the session of whoever was chosen at the sign-on; a former one ends. */
function replace(former: string | undefined, token: string): void {
  beginSession(token);
  if (former === undefined) return;
  revoke(former);
  const character = characterOf(former);
  if (character !== characterOf(token)) replaced = character;
}

/** Signs in with a user token of the built-in user, made by a permanent token, which is not stored. */
export async function signInWith(permanentToken: string): Promise<void> {
  const operator = createCastellan({ baseUrl: SERVICE, token: permanentToken.trim(), fetch: send });
  replaced = undefined;
  beginSession((await operator.token.createUserToken()).user_token);
}

/** Ends the session in every tab, and revokes the token; if that fails, the sign-in page says so. */
export async function signOut(): Promise<void> {
  let failure: unknown;
  try {
    // Without retries, so that the session ends immediately.
    if (currentToken() !== undefined) await castellan.token.logout({ retries: 0, timeout: 5_000 });
  } catch (error) {
    failure = error;
  }
  // A refused token is not valid any more, which is what signing out is for.
  endSession(failure instanceof Error && !isRefusal(failure) ? failure : undefined);
}
