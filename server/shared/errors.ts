import { inWords, type Lack } from './lack.ts';

/** One entry of a validation failure (D3): where, what is wrong, and the kind of fault. */
export interface InvalidField {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** A refusal with a clear answer: the one way in which code says no (D2). Never holds a secret. */
export class HttpError extends Error {
  readonly status: number;
  readonly detail: string | readonly InvalidField[];
  readonly headers: Readonly<Record<string, string>>;
  /** Further fields of the answer's body. */
  readonly more: Readonly<Record<string, unknown>>;
  constructor(
    status: number,
    detail: string | readonly InvalidField[],
    headers: Readonly<Record<string, string>> = {},
    more: Readonly<Record<string, unknown>> = {},
  ) {
    super(typeof detail === 'string' ? detail : 'Validation failed');
    this.name = 'Problem';
    this.status = status;
    this.detail = detail;
    this.headers = headers;
    this.more = more;
  }
}

/** 401: no usable token (D4). */
export function unauthenticated(detail: string): HttpError {
  return new HttpError(401, detail, { 'WWW-Authenticate': 'Bearer' });
}

/** 401: the token, or its owner, was deleted, perhaps while its request was under way (D4, D20). */
export function revoked(): HttpError {
  return unauthenticated('The token was revoked or is unknown.');
}

/** 403: clearance or authority missing, and which (D5); levels and who belongs where are public. */
export function forbidden(lack: Lack): HttpError {
  return new HttpError(403, `Insufficient clearance level: ${inWords(lack)}.`);
}

/** 404: names the kind and the id (D6). */
export function notFound(kind: string, id: string | number): HttpError {
  return new HttpError(404, `Could not find ${kind} ${id}`);
}

/** As many of the missing as a sentence can carry. */
const NAMED = 5;

/** 404 for references within a body: names the kind and the first few of those that are missing. */
export function notFoundAmong(kind: string, ids: readonly (string | number)[]): HttpError {
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) return notFound(kind, only);
  return new HttpError(404, `Could not find ${kind}s ${someOf(ids)}`);
}

/** The first few of them, and how many more there are. */
export function someOf(names: readonly (string | number)[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${names.slice(0, NAMED).join(', ')}${more}`;
}

/** 422 for what no schema can see. */
export function invalid(loc: readonly (string | number)[], msg: string): HttpError {
  return new HttpError(422, [{ loc, msg, type: 'value_error' }]);
}
