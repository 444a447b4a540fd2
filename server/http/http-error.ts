import { ERROR_CODES, type ErrorCode } from '../../contract/error-codes.ts';
import type { InvalidField } from '../shared/errors.ts';

interface Rest {
  /** Of a refusal of the provider's, whose code has no status of its own. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields of the answer's body. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** An error as it is answered. Features throw none: they know codes, not statuses. */
export class HttpError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string | readonly InvalidField[];
  readonly headers: Readonly<Record<string, string>>;
  readonly more: Readonly<Record<string, unknown>>;
  constructor(code: ErrorCode, detail: string | readonly InvalidField[], rest: Rest = {}) {
    super(typeof detail === 'string' ? detail : 'Validation failed');
    const { status = statusOf(code), headers = {}, more = {} } = rest;
    this.name = 'HttpError';
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.headers = headers;
    this.more = more;
  }

  /** The body of the answer: `detail` for people, `code` for programs (D73). */
  get body(): Readonly<Record<string, unknown>> {
    return { detail: this.detail, code: this.code, ...this.more };
  }
}

/** The status that a code comes with. */
export function statusOf(code: ErrorCode): number {
  const [status] = ERROR_CODES[code];
  if (status === 'its own') throw new Error(`${code} has no status of its own`);
  return status;
}

/** The path is known, and does not know the method. */
export function methodNotAllowed(allowed: readonly string[]): HttpError {
  const methods = allowed.join(', ');
  return new HttpError('method_not_allowed', `This path knows only ${methods}.`, {
    headers: { Allow: methods },
  });
}

/** PostgreSQL is away just now. */
export function databaseLost(): HttpError {
  const headers = { 'Retry-After': '5' };
  return new HttpError('database_unavailable', 'The database cannot be reached at the moment.', { headers });
}
