/** Errors of Express's own making: of the parser of bodies, and of the sender of files. */

import type { ErrorCode } from '../../../contract/error-codes.ts';
import { HttpError } from '../http-error.ts';

interface ExpressError extends Error {
  readonly status: number;
  /** Whether the message is meant for the client: true below 500. */
  readonly expose: boolean;
  /** Set by the parser of bodies, mostly. */
  readonly type?: string;
  /** The bytes that a body was allowed. */
  readonly limit?: number;
}

/** What files are refused with. */
const OF_FILES: Readonly<Record<number, ErrorCode>> = {
  404: 'path_unknown',
  412: 'precondition_failed',
  416: 'range_not_satisfiable',
};

/** What Express says of a request; undefined for every error that is not its own, or not for the client. */
export function expressProblem(error: unknown): HttpError | undefined {
  const { type, status = 0, expose, message = '', limit } = error as Partial<ExpressError>;
  // Its client went away while it was being admitted.
  if (type === 'stream.not.readable') return bodyUnreadable(type);
  if (expose !== true) return undefined;
  if (type === 'entity.too.large')
    return new HttpError('body_too_large', `The request body is larger than ${inWords(limit)}.`);
  if (type === 'encoding.unsupported') return new HttpError('encoding_unsupported', ENCODINGS);
  // A body that lies about its encoding or length may have no type.
  if (status === 400) return bodyUnreadable(type);
  const code = OF_FILES[status];
  return code && new HttpError(code, message);
}

const ENCODINGS = 'The body must be JSON in UTF-8, plain or compressed with gzip or deflate.';

function bodyUnreadable(type = 'body_unreadable'): HttpError {
  return new HttpError('invalid_request', [{ loc: ['body'], msg: 'The body cannot be read', type }]);
}

function inWords(bytes = 0): string {
  const kibibytes = bytes / 1024;
  return kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`;
}
