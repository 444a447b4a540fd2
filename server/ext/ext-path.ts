/** A version prefix of the game's API, as old clients send it: `latest/`, `legacy/`, `dev/`, `v3/`. */
const VERSION = /^(?:latest|legacy|dev|v[1-9]\d?)\//;
/**
 * Characters that a decoded path must not contain: escapes, query, fragment, backslash, control characters, white
 * space.
 */
const FORBIDDEN = /[%?#\\\p{Cc}\s]/u;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** Characters of a path that an error repeats. */
const MOST_SHOWN = 200;

/**
 * Normalises a path of the game's API: `/characters/1/skills`. The input was decoded once; undefined when it is not a
 * plain path (D31).
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

/** A path for an error message: shortened to one line, with everything but printable ASCII percent-encoded. */
export function shown(path: string): string {
  const encoded = encodeURI(path);
  return encoded.length > MOST_SHOWN ? `${encoded.slice(0, MOST_SHOWN)}…` : encoded;
}
