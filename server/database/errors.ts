import pg from 'pg';

/** The server keeps silent: nothing was sent to it, or what was sent is given up. */
export class SilentDatabase extends Error {
  override name = 'SilentDatabase';
  constructor() {
    super('The database does not answer.');
  }
}

/** SQLSTATEs that say "this connection or this server is of no use now", not "this statement is wrong". */
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

/** pg and pg-pool give these no code, so only the sentence tells. */
const UNREACHABLE_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end)/;

/**
 * Whether an error thrown by the database layer means that PostgreSQL cannot be reached just now, so that the
 * caller answers 503 with `Retry-After` and asks to try again (D8). Errors of a statement itself are not.
 */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof SilentDatabase) return true;
  const code = codeOf(error);
  if (error instanceof pg.DatabaseError) {
    // After a fatal error the server hangs up, as when the database lets nobody in (55000).
    return (
      error.severity === 'FATAL' || code?.startsWith('08') === true || UNREACHABLE_STATES.has(code ?? '')
    );
  }
  if (code === undefined) return UNREACHABLE_MESSAGE.test(error.message);
  // A missing Unix socket is ENOENT; only `connect` tells it from a missing file.
  return (
    UNREACHABLE_CODES.has(code) || (code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect')
  );
}

/** Whether a statement was sent and no answer came in time (`query_timeout`). */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** Whether a statement was ended because it took longer than one may (`statement_timeout`). */
export function isOverdue(error: unknown): boolean {
  return codeOf(error) === '57014';
}

/** Deadlock and serialization failure: what was done is undone, and may be done again. */
export function isUndone(error: unknown): boolean {
  return codeOf(error) === '40P01' || codeOf(error) === '40001';
}

/** What a constraint in the database refused. */
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

/** The violated constraint, or undefined when the error is none: what becomes a 409 or a 404 (D7). */
export function constraintOf(error: unknown): ConstraintViolation | undefined {
  if (!(error instanceof pg.DatabaseError) || error.constraint === undefined) return undefined;
  const kind = CONSTRAINT_KINDS[error.code ?? ''];
  return kind && { kind, constraint: error.constraint };
}

/** The SQLSTATE or system error code that an error carries. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
