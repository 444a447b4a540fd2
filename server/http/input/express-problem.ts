/** Errors that Express itself raises: in its body parser, its router and when it sends files. */

import type { ErrorCode } from '../../../contract/error-codes.ts';
import { HttpError } from '../http-error.ts';

interface ExpressError extends Error {
  readonly status: number;
  /** Whether the message is meant for the client: true below 500. */
  readonly expose: boolean;
  /** Set by the body parser in most cases. */
  readonly type?: string;
  /** The maximum number of bytes that was exceeded. */
  readonly limit?: number;
}

/** Error codes for a failed file download, by status. */
const OF_FILES: Readonly<Record<number, ErrorCode>> = {
  404: 'path_unknown',
  412: 'precondition_failed',
  416: 'range_not_satisfiable',
};

/**
 * Converts an error that Express raised about a request; undefined for any other error and for those not meant for the
 * client.
 */
export function expressProblem(error: unknown): HttpError | undefined {
  const { type, status = 0, expose, message = '', limit } = error as Partial<ExpressError>;
  // The client disconnected while the request was being admitted.
  if (type === 'stream.not.readable') return bodyUnreadable(type);
  if (error instanceof URIError) return badlyEncoded('path');
  if (expose !== true) return undefined;
  if (type === 'entity.too.large') return bodyTooLarge(limit);
  if (status === 413) return new HttpError('body_too_large', 'The request body has too many fields.');
  if (type === 'encoding.unsupported') return new HttpError('encoding_unsupported', ENCODINGS);
  if (status === 415) return new HttpError('encoding_unsupported', 'The body must be in UTF-8.');
  // A body with a wrong encoding or length may cause an error without a type.
  if (status === 400) return bodyUnreadable(type);
  const code = OF_FILES[status];
  return code && new HttpError(code, message);
}

const ENCODINGS = 'The body must be JSON in UTF-8, plain or compressed with gzip or deflate.';

/** For a path or query that cannot be decoded (D3). */
export function badlyEncoded(part: 'path' | 'query'): HttpError {
  const msg = `The ${part} is not properly percent-encoded`;
  return new HttpError('invalid_request', [{ loc: [part], msg, type: 'value_error' }]);
}

function bodyUnreadable(type = 'body_unreadable'): HttpError {
  return new HttpError('invalid_request', [{ loc: ['body'], msg: 'The body cannot be read', type }]);
}

/** For a body of more bytes than `limit`. */
export function bodyTooLarge(limit = 0): HttpError {
  return new HttpError('body_too_large', `The request body is larger than ${inWords(limit)}.`);
}

function inWords(bytes: number): string {
  const kibibytes = bytes / 1024;
  return kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`;
}
