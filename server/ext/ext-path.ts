/** A version prefix of the game's API, as old clients send it: `latest/`, `legacy/`, `dev/`, `v3/`. */
const VERSION = /^(?:latest|legacy|dev|v[1-9]\d?)\//;
/** What cannot be part of a plain path once it is decoded: another escape, a query, a fragment, a control. */
const FORBIDDEN = /[%?#\\\p{Cc}\s]/u;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** Of a path, as much as an error repeats. */
const MOST_SHOWN = 200;

/**
 * The path of the game's API that a caller means, in the provider's own form: `/characters/1/skills`. The text
 * was decoded once; undefined when it is anything but a plain path (D31).
 */
export function toProviderPath(text: string): string | undefined {
  const path = text.replace(VERSION, '').replace(/\/$/, '');
  const segments = path.split('/');
  const plain =
    !FORBIDDEN.test(text) &&
    !SCHEME.test(text) &&
    !text.includes('@') &&
    segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  return plain ? `/${path}` : undefined;
}

/** A path as an error may repeat it: no more than a line, whatever is not printable ASCII percent-encoded. */
export function shown(path: string): string {
  const encoded = encodeURI(path);
  return encoded.length > MOST_SHOWN ? `${encoded.slice(0, MOST_SHOWN)}…` : encoded;
}
