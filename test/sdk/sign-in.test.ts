import { beforeEach, describe, expect, it } from 'vitest';
import { type BrowserContext, SignInError, signIn } from '../../sdk/src/sign-in.ts';

/** A browser's tab, as far as a sign-in touches it. */
class Tab {
  readonly visited: string[] = [];
  href: string;
  /** What the page's router keeps in the history. */
  state: unknown = { key: 'r-7' };
  private readonly kept: Map<string, string>;

  constructor(href: string, kept = new Map<string, string>()) {
    this.href = href;
    this.kept = kept;
  }

  get context(): BrowserContext {
    return {
      location: { href: this.href, assign: (url) => this.visited.push(url) },
      history: {
        state: this.state,
        replaceState: (data, _unused, url) => {
          this.state = data;
          this.href = url;
        },
      },
      storage: {
        getItem: (key) => this.kept.get(key) ?? null,
        setItem: (key, value) => this.kept.set(key, value),
        removeItem: (key) => this.kept.delete(key),
      },
    };
  }
}

const LOGIN = { login_url: 'https://login.example/authorize?state=s-1', state_code: 's-1' };

describe('a sign-in in a browser', () => {
  let tab: Tab;
  beforeEach(() => {
    tab = new Tab('https://fleet.example/');
    signIn.start(LOGIN, tab.context);
  });

  it('leads to the sign-on of the game', () => {
    expect(tab.visited).toEqual([LOGIN.login_url]);
  });

  it.each([
    ['an error', { detail: 'Starting.', code: 'starting' }],
    ['no state', { login_url: LOGIN.login_url }],
    ['nothing', undefined],
  ])('does not begin where the back end gave %s in place of a login', (_, answer) => {
    const other = new Tab('https://fleet.example/');
    expect(() => signIn.start(answer as never, other.context)).toThrow(SignInError);
    expect(other.visited).toEqual([]);
  });

  it('ends with the token, which leaves the address bar with the state', () => {
    tab.href = 'https://fleet.example/back?tab=2&state_code=s-1&user_token=jwt#part';
    expect(signIn.finish(tab.context)).toBe('jwt');
    expect(tab.href).toBe('https://fleet.example/back?tab=2#part');
    expect(tab.state).toEqual({ key: 'r-7' });
  });

  it('says nothing on a page where none ends', () => {
    expect(signIn.finish(tab.context)).toBeUndefined();
    expect(tab.href).toBe('https://fleet.example/');
  });

  it.each([
    ['of another browser', '?state_code=s-2&user_token=stolen'],
    ['without its state', '?user_token=stolen'],
    ['without its token', '?state_code=s-1'],
  ])('%s is not believed, and leaves the address bar all the same', (_, query) => {
    tab.href = `https://fleet.example/back${query}`;
    expect(() => signIn.finish(tab.context)).toThrow(SignInError);
    expect(tab.href).toBe('https://fleet.example/back');
  });

  it('is believed once', () => {
    const back = 'https://fleet.example/back?state_code=s-1&user_token=jwt';
    tab.href = back;
    signIn.finish(tab.context);
    tab.href = back;
    expect(() => signIn.finish(tab.context)).toThrow(SignInError);
  });

  it('is not believed where none was begun', () => {
    const victim = new Tab('https://fleet.example/back?state_code=s-1&user_token=attacker');
    expect(() => signIn.finish(victim.context)).toThrow(SignInError);
  });
});
