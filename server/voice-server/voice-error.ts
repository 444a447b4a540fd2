/** Kinds of failure of the voice server. */
export type VoiceFault =
  /** No connection: refused, reset, unknown host. */
  | 'unreachable'
  /** It closed the connection. */
  | 'closed'
  /** No answer within the limit. */
  | 'timeout'
  /** The answer was not ServerQuery, or too long. */
  | 'unintelligible'
  /** It answered with an error: see `code`. */
  | 'refused'
  /** We sent too many commands, and the wait is longer than we accept. */
  | 'flooding'
  /** It has banned us for a while. */
  | 'banned'
  /** Our own signal was aborted. */
  | 'aborted';

/**
 * Any failure of the voice server. Its message names the command but no parameters, as a login contains the password.
 */
export class VoiceError extends Error {
  readonly kind: VoiceFault;
  /** The error id of a refusal (provider.md §3). */
  readonly code: number | undefined;
  constructor(kind: VoiceFault, message: string, code?: number) {
    super(message);
    this.name = 'VoiceError';
    this.kind = kind;
    this.code = code;
  }
}

/** Error ids that the code handles (provider.md §3). */
export const ERROR_IDS = {
  ok: 0,
  invalidClient: 512,
  flooding: 524,
  emptyResult: 1281,
  duplicateEntry: 1282,
  alreadyMember: 2561,
  notMember: 2563,
  insufficientPermissions: 2568,
  bannedAtConnect: 3329,
  floodBan: 3331,
} as const;

/** Whether the error is a refusal, with one of these ids or any. */
export function isRefusal(error: unknown, ids: readonly number[] | 'any'): boolean {
  if (!(error instanceof VoiceError) || error.kind !== 'refused') return false;
  return ids === 'any' || ids.includes(error.code ?? -1);
}
