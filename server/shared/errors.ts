import type { ErrorCode } from '../../contract/error-codes.ts';
import { inWords, type Lack } from './lack.ts';

/** One entry of a validation failure (D3): where, what is wrong, and the kind of fault. */
export interface InvalidField {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/**
 * A refusal with a clear answer: the one way in which features say no. Its code says what it is (D73); how that looks
 * over HTTP, http/errors.ts alone knows. Never holds a secret.
 */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | readonly InvalidField[];
  /** Seconds after which asking again makes sense. */
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

/** The token, or its owner, was deleted, perhaps while its request was under way (D4, D20). */
export function revoked(): DomainError {
  return new DomainError('token_revoked', 'The token was revoked or is unknown.');
}

/** Clearance or authority missing, and which (D5); levels and who belongs where are public. */
export function forbidden(lack: Lack): DomainError {
  return new DomainError(codeOf(lack), `Insufficient clearance level: ${inWords(lack)}.`);
}

function codeOf(lack: Lack): ErrorCode {
  if ('never' in lack) return 'forbidden_to_all';
  return 'authority' in lack ? 'no_authority' : 'level_too_low';
}

/** No such record: names the kind and the id (D6). */
export function notFound(kind: string, id: string | number): DomainError {
  return new DomainError('not_found', `Could not find ${kind} ${id}`);
}

/** As many of the missing as a sentence can carry. */
const NAMED = 5;

/** For references within a body: names the kind and the first few of those that are missing. */
export function notFoundAmong(kind: string, ids: readonly (string | number)[]): DomainError {
  const [only] = ids;
  if (ids.length === 1 && only !== undefined) return notFound(kind, only);
  return new DomainError('not_found', `Could not find ${kind}s ${someOf(ids)}`);
}

/** The first few of them, and how many more there are. */
export function someOf(names: readonly (string | number)[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${names.slice(0, NAMED).join(', ')}${more}`;
}

/** A fault in the request that no schema can see. */
export function invalid(loc: readonly (string | number)[], msg: string): DomainError {
  return new DomainError('invalid_request', [{ loc, msg, type: 'value_error' }]);
}
