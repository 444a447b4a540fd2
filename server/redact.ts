/** Keeps tokens and other secrets out of logs and crash reports. */

const HIDDEN = '**********';
/** Anything in the form of a JWT, whole or cut off after the payload's beginning. */
const JWT = /\beyJ[\w-]{5,}(?:\.[\w-]+){0,2}/g;
const BEARER = /\b(Bearer|Basic)\s+[^\s"',]+/gi;
const USERINFO = /\b([a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s/@]+@/gi;
const SECRET_NAME = /token|secret|password|passwd|code|state|key|authorization|cookie|signature|verifier/i;
const SECRET_IN_QUERY = /([?&][\w.-]*(?:token|secret|password|code|state|key|verifier)[\w.-]*=)[^&\s"'#]+/gi;

/** Free text, such as a stack trace: tokens, credentials in URLs and secret query parameters are cut out. */
export function redactText(text: string): string {
  return text
    .replace(BEARER, `$1 ${HIDDEN}`)
    .replace(JWT, HIDDEN)
    .replace(USERINFO, `$1:${HIDDEN}@`)
    .replace(SECRET_IN_QUERY, `$1${HIDDEN}`);
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
