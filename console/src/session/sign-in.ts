import { CastellanError, createCastellan, type ExtScope, type Person } from '@castellan/sdk';
import { type StartedLogin, signIn } from '@castellan/sdk/sign-in';
import { castellan, queryClient } from './api.ts';
import { HOME, SERVICE } from './place.ts';
import { beginSession, currentToken, endSession } from './session.ts';

const RETURN_TO = 'castellan.return-to';
const LINKING = 'castellan.linking';

interface Request {
  /** Scopes to ask for, besides public data. */
  readonly scopes?: readonly ExtScope[];
  /** The code of an invitation. */
  readonly state_code?: string;
}

/** Sends the browser to the game's sign-on; it comes back to the screen that it left. */
export async function startSignIn(
  request: Request = {},
  returnTo = location.pathname,
  note: () => void = () => undefined,
): Promise<void> {
  // The console's own back end, which holds its app token: the one call here that is none of the API's.
  const response = await fetch(`${HOME}/sign-in`, {
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

/** The user token of another character, which proves whose that is. */
let proof: string | undefined;

/** Sends the browser to the sign-on for another character; the session of this one stays. */
export async function startLinking(): Promise<void> {
  await startSignIn({}, `${HOME}/characters`, () => sessionStorage.setItem(LINKING, 'yes'));
}

/** Links the character that a sign-in just proved, and ends that token: it has done its work. */
export async function linkProven(): Promise<Person | undefined> {
  const user_token = proof;
  proof = undefined;
  if (user_token === undefined) return undefined;
  try {
    return await castellan.person.link({ body: { user_token } });
  } finally {
    await createCastellan({ baseUrl: SERVICE, token: user_token }).token.logout();
  }
}

/**
 * Ends the sign-in that comes back to this page, if one does, before anything is drawn.
 *
 * @returns what is wrong with it
 */
export function finishSignIn(): string | undefined {
  if (location.pathname !== `${HOME}/signed-in`) return undefined;
  try {
    const token = signIn.finish();
    if (token === undefined) return undefined;
    const linking = sessionStorage.getItem(LINKING) !== null && currentToken() !== undefined;
    if (linking) proof = token;
    else beginSession(token);
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

/** Signs in as the service itself, at the level of the permanent token's owner; that token is not kept. */
export async function signInWith(permanentToken: string): Promise<void> {
  const operator = createCastellan({ baseUrl: SERVICE, token: permanentToken.trim() });
  beginSession((await operator.token.createUserToken()).user_token);
}

/** Ends the session in every tab, and the token everywhere; where the service does not answer, that is said. */
export async function signOut(): Promise<void> {
  let failure: unknown;
  try {
    // At once: whoever leaves does not wait for another try.
    if (currentToken() !== undefined) await castellan.token.logout({ retries: 0 });
  } catch (error) {
    failure = error;
  }
  // A token that was gone already is as good as one that just went.
  endSession(failure instanceof CastellanError && failure.status !== 401 ? failure : undefined);
  queryClient.clear();
}
