import { request } from 'undici';
import type { Choice, SimulatedProvider } from '../../dev/provider/provider.ts';
import { type Clock, systemClock } from '../../server/shared/clock.ts';
import { BASE_URL, type TestApp } from './app.ts';

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly attributes: string;
  /** Time in milliseconds; infinite for a cookie that lasts as long as the browser. */
  readonly endsOn: number;
}

/** Where a browser ended up: on a page of the service, or redirected elsewhere. */
export interface Landed {
  /** The address that the browser shows. */
  readonly url: URL;
  /** The page; undefined when the browser was redirected to another server, which tests do not run. */
  readonly page: Response | undefined;
  readonly html: string;
}

/** The service and the provider that a browser can reach, and the clock by which its cookies end. */
type Reachable = Pick<TestApp, 'url'> & {
  /** The machine's, if there is none. */
  readonly clock?: Clock;
  readonly provider: Pick<SimulatedProvider, 'ssoUrl' | 'authorize'>;
};

export interface BrowserOptions {
  /** The character with which the player signs in at the game's sign-on. */
  readonly choice: Choice;
  /** Local URL of the service, if not that of the app, for example of another process. */
  readonly at?: string;
  /** Public address of the service. */
  readonly base?: string;
}

/** A player's browser: stores cookies, follows redirects, and signs in when it reaches the game's sign-on. */
export class Browser {
  readonly #app: Reachable;
  cookies: Cookie[] = [];
  choice: Choice;
  /** Local URL of the service. */
  at: string;
  readonly #base: string;
  /** Every address it requested. */
  readonly visited: string[] = [];

  constructor(app: Reachable, { choice, at = app.url, base = BASE_URL }: BrowserOptions) {
    this.#app = app;
    this.#base = base;
    this.choice = choice;
    this.at = at;
  }

  /** Opens an address and follows redirects within the service and the game's sign-on. */
  async go(address: string | URL, form?: Readonly<Record<string, string>>): Promise<Landed> {
    let url = new URL(address);
    let body = form && new URLSearchParams(form);
    for (let hops = 0; hops < 20; hops += 1) {
      this.visited.push(url.href);
      if (url.href.startsWith(this.#app.provider.ssoUrl)) {
        url = new URL(await this.#app.provider.authorize(url.href, this.choice));
        continue;
      }
      if (!url.href.startsWith(`${this.#base}/`)) return { url, page: undefined, html: '' };
      const page = await this.ask(url, body);
      body = undefined;
      const location = page.headers.get('location');
      if (page.status < 300 || page.status > 399 || location === null) {
        const html = await page.text();
        const next = submitted(html);
        if (next === undefined) return { url, page, html };
        body = new URLSearchParams(next.fields);
        url = new URL(next.action);
      } else url = new URL(location, url);
    }
    throw new Error(`the browser is sent in circles: ${this.visited.slice(-6).join('\n')}`);
  }

  /** Sends one request with its cookies, and stores those of the answer. */
  async ask(
    url: URL,
    body?: URLSearchParams,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const cookie = this.cookiesFor(url.pathname);
    // Not with fetch, which sends headers that mark the request as made by a script.
    const { statusCode, ...got } = await request(url.href.replace(this.#base, this.at), {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...{ accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
        ...(cookie !== '' && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      body: body?.toString() ?? null,
    });
    const named = Object.entries(got.headers).flatMap(([name, values = []]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    );
    const answer = new Response(await got.body.text(), { status: statusCode, headers: named });
    for (const text of answer.headers.getSetCookie())
      this.#storeCookie(text, answer.headers.get('date') ?? '');
    return answer;
  }

  /** Submits a page's form. */
  async press({ url, html }: Landed, name?: string): Promise<Landed> {
    const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1];
    if (action === undefined) throw new Error('the page has no form');
    const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const form = Object.fromEntries(fields.map(([, field = '', value = '']) => [field, value]));
    return this.go(new URL(action, url), { ...form, ...(name !== undefined && { [name]: 'yes' }) });
  }

  /** Follows the link with this text. */
  async follow({ url, html }: Landed, text: string): Promise<Landed> {
    const href = new RegExp(`<a href="([^"]+)">${text}</a>`).exec(html)?.[1];
    if (href === undefined) throw new Error(`the page has no link “${text}”: ${html}`);
    return this.go(new URL(href.replaceAll('&amp;', '&'), url));
  }

  cookiesFor(path: string): string {
    return this.cookies
      .filter(({ endsOn }) => endsOn > this.#now())
      .filter((cookie) => path === cookie.path || path.startsWith(cookie.path.replace(/\/?$/, '/')))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  #storeCookie(text: string, answeredOn: string): void {
    const [pair = '', ...attributes] = text.split('; ');
    const [name = '', ...value] = pair.split('=');
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
    const endsOn = this.#now() + lifetimeOf(attributes, answeredOn);
    this.cookies = this.cookies.filter((cookie) => cookie.name !== name || cookie.path !== path);
    if (endsOn > this.#now())
      this.cookies.push({ name, value: value.join('='), path, attributes: attributes.join('; '), endsOn });
  }

  #now(): number {
    return (this.#app.clock ?? systemClock).now().getTime();
  }
}

/**
 * Milliseconds for which a cookie lasts. `Expires` is taken from the answer's `Date`: the library counts by the machine's
 * clock.
 */
function lifetimeOf(attributes: readonly string[], answeredOn: string): number {
  const attribute = (name: RegExp) => attributes.find((one) => name.test(one))?.replace(name, '');
  const seconds = attribute(/^max-age=/i);
  if (seconds !== undefined) return Number(seconds) * 1000;
  const expires = attribute(/^expires=/i);
  return expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires) - Date.parse(answeredOn);
}

/** The form that the page's script would submit in a browser. */
function submitted(html: string): { action: string; fields: Record<string, string> } | undefined {
  if (!html.includes('document.forms[0].submit()')) return undefined;
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? '';
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return {
    action: action.replaceAll('&amp;', '&'),
    fields: Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value])),
  };
}
