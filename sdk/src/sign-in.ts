/** Signing people in from a browser, for applications whose own back end holds the dynamic app token. */

/** The answer of `POST /token/use/from/dyn`, which the application's back end passes to its pages. */
export interface StartedLogin {
  readonly login_url: string;
  readonly state_code: string;
}

/** The browser's address and storage; those of the page by default. */
export interface BrowserContext {
  readonly location?: { readonly href: string; assign(url: string): void } | undefined;
  readonly history?:
    | { readonly state?: unknown; replaceState(data: unknown, unused: string, url: string): void }
    | undefined;
  /** Must belong to this browser only: a sign-in begun in another browser is recognised by it. */
  readonly storage?: BrowserStorage | undefined;
}

/** Such as `sessionStorage`. */
export interface BrowserStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Why a sign-in cannot begin, or its end is not accepted. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
}

const KEPT_AS = 'castellan.sign-in';

const page = globalThis as unknown as Required<{
  [Name in 'location' | 'history']: NonNullable<BrowserContext[Name]>;
}> & { readonly sessionStorage: BrowserStorage };

export const signIn = {
  /**
   * Stores in this browser which sign-in it began, and redirects to the game's sign-on.
   *
   * @throws {SignInError} when it is given something else, such as the back end's answer about an error.
   */
  start(login: StartedLogin, browser: BrowserContext = {}): void {
    if (!login?.login_url || !login.state_code) {
      throw new SignInError('The back end did not answer with login_url and state_code.');
    }
    (browser.storage ?? page.sessionStorage).setItem(KEPT_AS, login.state_code);
    (browser.location ?? page.location).assign(login.login_url);
  },

  /**
   * The user token of a sign-in that ends on this page, undefined where none does. Token and state leave the address
   * bar and the history in any case.
   *
   * @throws {SignInError} when another browser began the sign-in: somebody wants this one to act for him.
   */
  finish(browser: BrowserContext = {}): string | undefined {
    const { location = page.location, history = page.history, storage = page.sessionStorage } = browser;
    const url = new URL(location.href);
    const token = url.searchParams.get('user_token');
    const state = url.searchParams.get('state_code');
    if (token === null && state === null) return undefined;
    url.searchParams.delete('user_token');
    url.searchParams.delete('state_code');
    // The page's router keeps its own state there.
    history.replaceState(history.state, '', url.href);
    const begun = storage.getItem(KEPT_AS);
    storage.removeItem(KEPT_AS);
    if (token === null || state === null || state !== begun) {
      throw new SignInError('This sign-in was not begun in this browser; begin again.');
    }
    return token;
  },
};
