import type { Logger } from 'pino';
import type { ErrorCode } from '../../contract/error-codes.ts';
import { usualForm } from '../rate-limit/address.ts';
import { throttled } from '../shared/throttle.ts';

/** The answer to a request that the service itself never saw, without anything that its sender wrote. */
export interface Refusal {
  readonly request_id: string;
  readonly status: number;
  readonly code: ErrorCode;
  /** The other end of the connection: headers that tell of a proxy's client were not looked at. */
  readonly peer: string | undefined;
}

export type NoteRefusal = (refusal: Refusal) => void;

/** Milliseconds between two lines of one code: what cannot be read costs its sender nothing, and no limit counts it. */
const TELL_EVERY = 1_000;

/** Logs such answers, as `identify` does all others; of each code one a second, with the number of those left out. */
export function refusalLog(log: Pick<Logger, 'info'>): NoteRefusal {
  const byCode = new Map<ErrorCode, NoteRefusal>();
  return (refusal) => {
    const tell = byCode.get(refusal.code) ?? throttled<Refusal>(TELL_EVERY, write);
    byCode.set(refusal.code, tell);
    tell(refusal);
  };

  function write({ request_id, status, code, peer }: Refusal, untold: number): void {
    const left = untold === 0 ? {} : { untold };
    log.info({ request_id, peer: usualForm(peer), status, code, ...left }, 'request refused unseen');
  }
}
