import type { Route } from './routes.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * The address that paths are put behind; a relative one is meant from the page that the client runs in.
 *
 * @throws {TypeError} when it is no http or https URL, or holds a password.
 */
export function baseOf(baseUrl: string): string {
  const { location } = globalThis as { location?: { href: string } };
  const url = new URL(baseUrl, location?.href);
  if (!/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new TypeError('baseUrl must be an http(s) URL without user and password');
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** @throws {TypeError} for a parameter that is missing, empty, no Unicode text, or would lead to another path. */
export function pathOf({ resource, path }: Route, params: Values = {}): string {
  return path.replace(/:(\w*)(\*?)/g, (_, named: string, rest: string) => {
    const name = named || `${resource}_id`;
    const value = params[name];
    const text = value || value === 0 ? String(value) : '';
    const segments = rest ? text.replace(/^\//, '').split('/') : [text];
    // URL parsers resolve dots as relative segments, even when they are encoded. Half a surrogate pair has no encoding.
    if (!text || segments.some((segment) => /^\.\.?$|\p{Cs}/u.test(segment))) {
      throw new TypeError(`Path parameter ${name} is missing or invalid`);
    }
    return segments.map(encodeURIComponent).join('/');
  });
}

/** Null and undefined are left out; an object is encoded as JSON. */
export function queryOf(query: Values = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    search.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  const text = String(search);
  return text && `?${text}`;
}
