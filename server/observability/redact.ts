import { assignedIn, isSecretName } from './redact-assignments.ts';
import { passwordsIn, type Span } from './redact-passwords.ts';

/** Keeps tokens and other secrets out of logs and crash reports. */

const HIDDEN = '**********';
/** Anything in the form of a JWT, whole or cut off after the payload's beginning, percent-encoded or not. */
const JWT = /eyJ[\w-]{5,}(?:(?:\.|%2[eE])[\w-]+){0,2}/g;
/** An address within a sign-in by OpenID Connect, which names what the browser's cookie holds. */
const INTERACTION = /(\/oidc\/(?:interaction|auth)\/)[\w-]{16,}/g;
const BEARER = /\b(Bearer|Basic)\s+[^\s"',]+/gi;

/**
 * Free text, such as a stack trace: tokens, passwords in URLs, and what is assigned to the name of a secret are cut
 * out, rather too much than too little. Takes time in proportion to the text, whatever a client puts into it.
 */
export function redactText(text: string): string {
  const clean = text.replace(BEARER, `$1 ${HIDDEN}`).replace(JWT, HIDDEN).replace(INTERACTION, `$1${HIDDEN}`);
  return hide(hide(clean, passwordsIn), assignedIn);
}

/** Cuts out what is found, from left to right. */
function hide(text: string, find: (text: string) => Iterable<Span>): string {
  let clean = '';
  let done = 0;
  for (const [start, end] of find(text)) {
    clean += text.slice(done, start) + HIDDEN;
    done = end;
  }
  return clean + text.slice(done);
}

/** Named values (headers, parameters): those whose name tells of a secret are hidden, the rest is scrubbed. */
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
