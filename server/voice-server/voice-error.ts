/** What went wrong with the voice server. */
export type VoiceFault =
  /** No connection: refused, reset, unknown host. */
  | 'unreachable'
  /** It hung up. */
  | 'closed'
  /** No answer within the limit. */
  | 'timeout'
  /** What came is no ServerQuery, or more than an answer may be. */
  | 'unintelligible'
  /** It said no: see `code`. */
  | 'refused'
  /** We sent too much, and are told to wait for longer than we do. */
  | 'flooding'
  /** It has shut us out for a time. */
  | 'banned'
  /** We were asked to stop. */
  | 'aborted';

/** Every failure of the voice server. Names commands, never what they carried: a login carries the password. */
export class VoiceError extends Error {
  readonly kind: VoiceFault;
  /** The error id of a refusal (facts §3). */
  readonly code: number | undefined;
  constructor(kind: VoiceFault, message: string, code?: number) {
    super(message);
    this.name = 'VoiceError';
    this.kind = kind;
    this.code = code;
  }
}

/** Error ids that mean something to us (facts §3). */
export const ERROR_IDS = {
  ok: 0,
  invalidClient: 512,
  nicknameInUse: 513,
  flooding: 524,
  emptyResult: 1281,
  duplicateEntry: 1282,
  alreadyMember: 2561,
  notMember: 2563,
  bannedAtConnect: 3329,
  floodBan: 3331,
} as const;

/** Whether the server said no, with one of these ids. */
export function isRefusal(error: unknown, ids: readonly number[]): boolean {
  return error instanceof VoiceError && error.kind === 'refused' && ids.includes(error.code ?? -1);
}
