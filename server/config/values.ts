/** Kinds of values that several settings have. */
import { z } from 'zod';
import { addressProblem } from '../database/address.ts';

/** An http(s) URL. Trimmed, as a value from a file with CRLF line ends has a `\r`; a password or blanks are refused. */
export const address = z
  .string()
  .trim()
  .refine(isHttpUrl, 'must be an http or https URL')
  .refine(
    (value) => !isHttpUrl(value) || isPlain(new URL(value)),
    'must be without user, password and fragment',
  )
  .refine((value) => !/\s/.test(value), 'must be without blanks');
/** A base URL, to which paths are appended; without a slash at the end. */
export const httpUrl = address
  .refine((value) => !value.includes('?'), 'must be without a query')
  .transform((value) => value.replace(/\/+$/, ''));
export const port = z
  .string()
  .regex(/^\d+$/, 'must be a port number')
  .transform(Number)
  .pipe(z.number().max(65535));
export const databaseUrl = z.string().superRefine((url, context) => {
  const message = addressProblem(url);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});
export const flag = z
  .enum(['true', 'false', '1', '0'], { message: 'must be true or false' })
  .transform(isTrue);
/** Without the line end that stores of secrets append, which the sign-on would refuse at each sign-in. */
export const line = z
  .string()
  .transform((text) => text.replace(/[\r\n]+$/, ''))
  .pipe(z.string().regex(/\S/, 'must not be blank'));
export const list = z.string().transform((value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
);

function isPlain({ username, password, hash }: URL): boolean {
  return username === '' && password === '' && hash === '';
}

export function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}

function isTrue(value: string): boolean {
  return value === 'true' || value === '1';
}
