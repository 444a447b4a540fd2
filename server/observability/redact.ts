import { assignedIn, isSecretName } from './redact-assignments.ts';
import { passwordsIn, type Span } from './redact-passwords.ts';

/** Removes tokens and other secrets from logs and crash reports. */

const HIDDEN = '**********';
/** Anything of the form of a JWT, complete or truncated after the beginning of the payload, percent-encoded or not. */
const JWT = /eyJ[\w-]{5,}(?:(?:\.|%2[eE])[\w-]+){0,2}/g;
/** The URL path of an OpenID Connect interaction, which contains the same id as the browser's cookie. */
const INTERACTION = /(\/oidc\/(?:interaction|auth)\/)[\w-]{16,}/g;
/** The URL path of an invitation of the console, as it was before the code stood behind a `#`. */
const INVITATION = /(\/console\/invitation\/)[\w%-]+/g;
const BEARER = /\b(Bearer|Basic)\s+[^\s"',]+/gi;

/**
 * Removes tokens, passwords in URLs and values assigned to names of secrets from free text, such as a stack trace; when
 * in doubt it removes more. Runs in linear time, whatever text a client sends.
 *
 * @param known secrets that the text may hold and that no form tells
 */
export function redactText(text: string, known: readonly string[] = []): string {
  const clean = known
    .reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text)
    .replace(BEARER, `$1 ${HIDDEN}`)
    .replace(JWT, HIDDEN)
    .replace(INTERACTION, `$1${HIDDEN}`)
    .replace(INVITATION, `$1${HIDDEN}`);
  return hide(hide(clean, passwordsIn), assignedIn);
}

/** Replaces the ranges found, from left to right. */
function hide(text: string, find: (text: string) => Iterable<Span>): string {
  let clean = '';
  let done = 0;
  for (const [start, end] of find(text)) {
    clean += text.slice(done, start) + HIDDEN;
    done = end;
  }
  return clean + text.slice(done);
}

/** Redacts named values (headers, parameters): values of secret names are hidden, the others are redacted as text. */
export function redactValues(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSecretName(name) ? HIDDEN : redactValue(value)]),
  );
}

function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map(redactValue);
  if (typeof value === 'object' && value !== null) return redactValues(value as Record<string, unknown>);
  return value;
}
