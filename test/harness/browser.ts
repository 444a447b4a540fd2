import type { Choice } from '../../dev/provider/provider.ts';
import { BASE_URL, type TestApp } from './app.ts';

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly attributes: string;
}

/** Where a browser ended up: on a page of the service, or on its way to somebody else. */
export interface Landed {
  /** As the browser shows it. */
  readonly url: URL;
  /** Undefined when the browser was sent elsewhere: nobody is there in a test. */
  readonly page: Response | undefined;
  readonly html: string;
}

export interface BrowserOptions {
  /** Who the player is at the game's sign-on. */
  readonly choice: Choice;
  /** The service under another address than that of the app, such as another process of it. */
  readonly at?: string;
}

/** A player's browser: keeps cookies, follows redirects, and signs in at the game's sign-on when it comes there. */
export class Browser {
  readonly #app: TestApp;
  cookies: Cookie[] = [];
  choice: Choice;
  /** Where the service is reached. */
  at: string;
  /** Every address that it asked for. */
  readonly visited: string[] = [];

  constructor(app: TestApp, { choice, at = app.url }: BrowserOptions) {
    this.#app = app;
    this.choice = choice;
    this.at = at;
  }

  /** Goes to an address and on, for as long as the way leads through the service and the game's sign-on. */
  async go(address: string | URL, form?: Readonly<Record<string, string>>): Promise<Landed> {
    let url = new URL(address);
    let body = form && new URLSearchParams(form);
    for (let hops = 0; hops < 20; hops += 1) {
      this.visited.push(url.href);
      if (url.href.startsWith(this.#app.provider.ssoUrl)) {
        url = new URL(await this.#app.provider.authorize(url.href, this.choice));
        continue;
      }
      if (!url.href.startsWith(`${BASE_URL}/`)) return { url, page: undefined, html: '' };
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

  /** One request, with the cookies for it; keeps those of the answer. */
  async ask(
    url: URL,
    body?: URLSearchParams,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const cookie = this.cookiesFor(url.pathname);
    const answer = await fetch(url.href.replace(BASE_URL, this.at), {
      redirect: 'manual',
      headers: { accept: 'text/html', ...(cookie !== '' && { cookie }), ...headers },
      ...(body !== undefined && { method: 'POST', body }),
    });
    for (const text of answer.headers.getSetCookie()) this.#keep(text);
    return answer;
  }

  /** Presses the button of a page's form. */
  async press({ url, html }: Landed, name?: string): Promise<Landed> {
    const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1];
    if (action === undefined) throw new Error('the page has no form');
    const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const form = Object.fromEntries(fields.map(([, field = '', value = '']) => [field, value]));
    return this.go(new URL(action, url), { ...form, ...(name !== undefined && { [name]: 'yes' }) });
  }

  /** Follows the link of a page that bears this text. */
  async follow({ url, html }: Landed, text: string): Promise<Landed> {
    const href = new RegExp(`<a href="([^"]+)">${text}</a>`).exec(html)?.[1];
    if (href === undefined) throw new Error(`the page has no link “${text}”: ${html}`);
    return this.go(new URL(href.replaceAll('&amp;', '&'), url));
  }

  cookiesFor(path: string): string {
    return this.cookies
      .filter((cookie) => path === cookie.path || path.startsWith(cookie.path.replace(/\/?$/, '/')))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  #keep(text: string): void {
    const [pair = '', ...attributes] = text.split('; ');
    const [name = '', ...value] = pair.split('=');
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
    const gone = attributes.some((one) => /^(max-age=0|expires=Thu, 01 Jan 1970)/i.test(one));
    this.cookies = this.cookies.filter((cookie) => cookie.name !== name || cookie.path !== path);
    if (!gone) this.cookies.push({ name, value: value.join('='), path, attributes: attributes.join('; ') });
  }
}

/** The form that a page sends by itself, as its script does in a browser. */
function submitted(html: string): { action: string; fields: Record<string, string> } | undefined {
  if (!html.includes('document.forms[0].submit()')) return undefined;
  const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? '';
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return {
    action: action.replaceAll('&amp;', '&'),
    fields: Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value])),
  };
}
