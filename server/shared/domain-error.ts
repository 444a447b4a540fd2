import type { ErrorCode } from '../../contract/error-codes.ts';
import { inWords, type Lack } from './lack.ts';

/** One entry of a 422 (D3): where, what is wrong, and the kind of fault. */
export interface InvalidField {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/**
 * The error by which features refuse an operation. Its code identifies the reason (D73); http/error-answers.ts maps it
 * to a status. Contains no secrets.
 */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | readonly InvalidField[];
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined;
  constructor(
    code: ErrorCode,
    detail: string | readonly InvalidField[],
    { retryAfter }: { readonly retryAfter?: number } = {},
  ) {
    super(typeof detail === 'string' ? detail : 'Validation failed');
    this.name = 'DomainError';
    this.code = code;
    this.detail = detail;
    this.retryAfter = retryAfter;
  }
}

/** 401: the token or its owner was deleted, perhaps while the request was being handled (D4, D20). */
export function revoked(): DomainError {
  return new DomainError('token_revoked', 'The token was revoked or is unknown.');
}

/** 403: names the missing level or authority (D5); levels and memberships are public. */
export function forbidden(lack: Lack): DomainError {
  return new DomainError(codeOf(lack), `Insufficient clearance level: ${inWords(lack)}.`);
}

function codeOf(lack: Lack): ErrorCode {
  if ('never' in lack) return 'forbidden_to_all';
  return 'authority' in lack ? 'no_authority' : 'level_too_low';
}

/** 404 that names the kind of record and the id (D6). */
export function notFound(kind: string, id: string | number): DomainError {
  return new DomainError('not_found', `Could not find ${kind} ${id}`);
}

/** Maximum number of missing ids in a message. */
const NAMED = 5;

/** 404 for references in a body: names the kind and the first missing ids. */
export function notFoundAmong(kind: string, ids: readonly (string | number)[]): DomainError {
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) return notFound(kind, only);
  return new DomainError('not_found', `Could not find ${kind}s ${someOf(ids)}`);
}

/** The first few names, and the number of the others. */
export function someOf(names: readonly (string | number)[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${names.slice(0, NAMED).join(', ')}${more}`;
}

/** 422 for a fault that the schema cannot detect. */
export function invalid(loc: readonly (string | number)[], msg: string): DomainError {
  return new DomainError('invalid_request', [{ loc, msg, type: 'value_error' }]);
}
