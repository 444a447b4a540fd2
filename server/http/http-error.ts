import { ERROR_CODES, type ErrorCode } from '../../contract/error-codes.ts';
import type { InvalidField } from '../shared/domain-error.ts';

interface Rest {
  /** Overrides the status of the code: for refusals of the provider, whose status is passed on. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Additional fields of the answer's body. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/**
 * An error with everything that its HTTP answer needs; `error-body.ts` makes the body of it. Features throw
 * `DomainError` instead: they know codes, not statuses.
 */
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
}

/** The HTTP status of an error code. */
export function statusOf(code: ErrorCode): number {
  const [status] = ERROR_CODES[code];
  if (status === 'its own') throw new Error(`${code} has no status of its own`);
  return status;
}

/** 405: the path exists but does not support the method. */
export function methodNotAllowed(allowed: readonly string[]): HttpError {
  const methods = allowed.join(', ');
  return new HttpError('method_not_allowed', `This path knows only ${methods}.`, {
    headers: { Allow: methods },
  });
}

/** 503: PostgreSQL cannot be reached at the moment, or cannot do what was asked for. */
export function databaseLost(detail = 'The database cannot be reached at the moment.'): HttpError {
  return new HttpError('database_unavailable', detail, { headers: { 'Retry-After': '5' } });
}
