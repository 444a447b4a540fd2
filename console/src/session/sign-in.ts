import { CastellanError, createCastellan, type ExtScope } from '@castellan/sdk';
import { type StartedLogin, signIn } from '@castellan/sdk/sign-in';
import { castellan, queryClient } from './api.ts';
import { HOME, SERVICE } from './place.ts';
import { beginSession, currentToken, endSession } from './session.ts';

const RETURN_TO = 'castellan.return-to';

interface Request {
  /** Scopes to ask for, besides public data. */
  readonly scopes?: readonly ExtScope[];
  /** The code of an invitation. */
  readonly state_code?: string;
}

/** Sends the browser to the game's sign-on; it comes back to the screen that it left. */
export async function startSignIn(request: Request = {}, returnTo = location.pathname): Promise<void> {
  // The console's own back end, which holds its app token: the one call here that is none of the API's.
  const response = await fetch(`${HOME}/sign-in`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(request),
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new CastellanError({ status: response.status, headers: response.headers, body });
  sessionStorage.setItem(RETURN_TO, returnTo);
  signIn.start(body as StartedLogin);
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
    if (token !== undefined) beginSession(token);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    const returnTo = sessionStorage.getItem(RETURN_TO) ?? '';
    sessionStorage.removeItem(RETURN_TO);
    history.replaceState(null, '', returnTo.startsWith(`${HOME}/`) ? returnTo : `${HOME}/`);
  }
}

/** Signs in as the service itself, at the level of the permanent token's owner; that token is not kept. */
export async function signInWith(permanentToken: string): Promise<void> {
  const operator = createCastellan({ baseUrl: SERVICE, token: permanentToken.trim() });
  beginSession((await operator.token.createUserToken()).user_token);
}

/** Ends the session in every tab, and the token everywhere. */
export async function signOut(): Promise<void> {
  try {
    if (currentToken() !== undefined) await castellan.token.logout();
  } finally {
    endSession();
    queryClient.clear();
  }
}
