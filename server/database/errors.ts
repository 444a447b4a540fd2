import pg from 'pg';

/** The server does not answer: the statement was not sent, or waiting for its answer was given up. */
export class SilentDatabase extends Error {
  override name = 'SilentDatabase';
  constructor() {
    super('The database does not answer.');
  }
}

/** SQLSTATEs that mean that the connection or server cannot be used now, not that the statement is wrong. */
const UNREACHABLE_STATES = new Set([
  '25006', // read_only_sql_transaction: the primary has become a replica
  '53000', // insufficient_resources
  '53100', // disk_full
  '53200', // out_of_memory
  '53300', // too_many_connections
  '57P01', // admin_shutdown: also what pg_terminate_backend sends
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now: starting, recovering or stopping
  '58030', // io_error
]);

const UNREACHABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/**
 * Codes of Node and OpenSSL for a connection that cannot be encrypted, as while only one of our certificate and its key was
 * renewed, or a certificate that is not accepted.
 */
const TLS_FAILURE =
  /^(CERT_|SELF_SIGNED_CERT_|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_MISMATCH$|ERR_TLS_|ERR_SSL_|ERR_OSSL_(X509|PEM)_|EPROTO$)/;

/** Messages of pg and pg-pool for errors that have no code. */
const UNREACHABLE_MESSAGE =
  /^(SASL: |The server does not support SSL connections|Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end)/;

/**
 * Whether an error of the database layer means that PostgreSQL cannot be reached at the moment, so that the answer is a
 * 503 with `Retry-After` (D8). False for errors of the statement itself.
 */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof SilentDatabase) return true;
  const code = codeOf(error);
  if (error instanceof pg.DatabaseError) {
    // After an error of severity FATAL the server closes the connection, for example when the database allows no
    // connections (55000).
    return (
      error.severity === 'FATAL' || code?.startsWith('08') === true || UNREACHABLE_STATES.has(code ?? '')
    );
  }
  if (code === undefined) return UNREACHABLE_MESSAGE.test(error.message);
  // A missing Unix socket gives ENOENT, one in a closed folder EACCES, a process without a file descriptor left EMFILE:
  // only `syscall` distinguishes them from the errors of a file.
  const opening = 'syscall' in error && (error.syscall === 'connect' || error.syscall === 'getaddrinfo');
  return opening || UNREACHABLE_CODES.has(code) || TLS_FAILURE.test(code);
}

/** Whether the server's certificate is not accepted. */
export function isUntrusted(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  return TLS_FAILURE.test(code) && !/^(ERR_SSL_|ERR_OSSL_|EPROTO$)/.test(code);
}

/** Whether a statement was sent and no answer came in time (`query_timeout`). */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** Whether the server cancelled a statement for its duration (`statement_timeout`). */
export function isOverdue(error: unknown): boolean {
  return codeOf(error) === '57014';
}

/**
 * Whether PostgreSQL rolled the work back because of a deadlock or serialization failure, so that it can be repeated.
 */
export function isUndone(error: unknown): boolean {
  return codeOf(error) === '40P01' || codeOf(error) === '40001';
}

/** undefined_table, undefined_column, undefined_function. */
const MISSING_STATES = new Set(['42P01', '42703', '42883']);

/** Whether the server lacks a table, column or function of the statement, as before a migration has come to it. */
export function isMissing(error: unknown): boolean {
  return MISSING_STATES.has(codeOf(error) ?? '');
}

/** A constraint that a statement violated. */
export interface ConstraintViolation {
  readonly kind: 'unique' | 'foreign_key' | 'check';
  /** The constraint's (or unique index's) name. */
  readonly constraint: string;
}

const CONSTRAINT_KINDS: Readonly<Record<string, ConstraintViolation['kind']>> = {
  '23505': 'unique',
  '23503': 'foreign_key',
  '23514': 'check',
};

/** The violated constraint, which becomes a 409 or 404 (D7); undefined for any other error. */
export function constraintOf(error: unknown): ConstraintViolation | undefined {
  if (!(error instanceof pg.DatabaseError) || error.constraint === undefined) return undefined;
  const kind = CONSTRAINT_KINDS[error.code ?? ''];
  return kind && { kind, constraint: error.constraint };
}

/** The SQLSTATE or system error code that an error carries. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
