/** Keeps tokens and other secrets out of logs and crash reports. */

const HIDDEN = '**********';
/** Anything in the form of a JWT, whole or cut off after the payload's beginning, percent-encoded or not. */
const JWT = /eyJ[\w-]{5,}(?:(?:\.|%2[eE])[\w-]+){0,2}/g;
const BEARER = /\b(Bearer|Basic)\s+[^\s"',]+/gi;
const USERINFO = /\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@]*):[^\s/@]+@/gi;
const SECRET_NAME = /token|secret|password|passwd|code|state|key|authorization|cookie|signature|verifier/i;
/** `?name=` and `&name=`, also within a URL that is a value itself and so percent-encoded. */
const PARAMETER = /(?:[?&]|%3F|%26)((?:(?!%3D|%26|%3F)[^\s"'#?&=])*)(?:=|%3D)/gi;
const VALUE = /(?:(?!%26|%23)[^\s"'#&])+/iy;

/**
 * Free text, such as a stack trace: tokens, credentials in URLs and secret query parameters are cut out. Takes
 * time in proportion to the text, whatever a client puts into it.
 */
export function redactText(text: string): string {
  return hideInQueries(
    text.replace(BEARER, `$1 ${HIDDEN}`).replace(JWT, HIDDEN).replace(USERINFO, `$1:${HIDDEN}@`),
  );
}

function hideInQueries(text: string): string {
  let clean = '';
  let done = 0;
  for (const { 0: start, 1: name = '', index } of text.matchAll(PARAMETER)) {
    VALUE.lastIndex = index + start.length;
    const value = SECRET_NAME.test(name) && index >= done ? VALUE.exec(text) : null;
    if (value === null) continue;
    clean += text.slice(done, value.index) + HIDDEN;
    done = value.index + value[0].length;
  }
  return clean + text.slice(done);
}

/** Named values (headers, parameters): those whose name tells of a secret are hidden, the rest is scrubbed. */
export function redactValues(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (SECRET_NAME.test(name)) return [name, HIDDEN];
      return [name, redactValue(value)];
    }),
  );
}

function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map(redactValue);
  if (typeof value === 'object' && value !== null) return redactValues(value as Record<string, unknown>);
  return value;
}
