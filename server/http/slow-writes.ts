import type { Response } from 'express';
import type { Admission } from '../access/admission.ts';
import { isAdministrator } from '../access/clearance-levels.ts';
import { inLineOfCaller, lineKeyOf } from '../access/lines.ts';
import { onAccountOf } from '../event/origin.ts';
import type { Services } from '../services/services.ts';
import { chargeMore, mostOfOne, requireMore } from './rate-limit.ts';

/** Elements of the lists in a body from which on a write takes long, and events that it may cause uncharged. */
const MANY = 1_000;
/** Elements or events beyond that which count as one more request (D60). */
const PER_REQUEST = 100;
/** Bytes of text in a body from which on each {@link BYTES_PER_REQUEST} count as one more request: events keep it. */
const MUCH = 1024;
const BYTES_PER_REQUEST = 512;

interface Write {
  readonly admission: Admission;
  readonly isRehearsal: boolean;
  /** Whether it asks another server first: it then waits in its caller's line by itself, once that has answered. */
  readonly asksOthers: boolean;
  readonly res: Response;
}

/**
 * Runs a write in its caller's line, so that one caller occupies one connection. A dry run, or a write with many ids,
 * holds it for long, so only a few of all callers run at a time, and the other connections stay free for everybody else
 * (D3c). Levels 9 and 10 do not wait, and pay for none of it (D60).
 */
export async function inLineOfWrites<T>(
  services: Pick<Services, 'lines' | 'clock' | 'metrics' | 'settings'>,
  { admission, isRehearsal, asksOthers, res }: Write,
  work: (admission: Admission) => Promise<T>,
): Promise<T> {
  const { caller, body } = admission;
  if (isAdministrator(caller.level)) return work(admission);
  const { lines } = services;
  const elements = elementsOf(body);
  const more = requestsBeyondOne(elements, bytesOf(body));
  const isSlow = elements > MANY || isRehearsal;
  const tally = { events: 0 };
  const counted = (admitted: Admission) => onAccountOf({ tally }, () => work(admitted));
  const charged = async (admitted: Admission) => {
    await requireMore(services, res, 'token', more);
    try {
      return await (isSlow ? lines.slowWrites(lineKeyOf(caller), admitted, counted) : counted(admitted));
    } finally {
      // Only the write itself finds out whom it affects; a body with as many ids was charged for them already.
      const caused = Math.min(requestsBeyondOne(tally.events - elements, 0), mostOfOne(services));
      // Without a database nothing more can be counted, and the write has its outcome.
      await chargeMore(res, caused).catch(() => undefined);
    }
  };
  // In the line, as several that were charged at the same time would all find too few left.
  return asksOthers ? charged(admission) : inLineOfCaller(lines, admission, charged);
}

/** The greater of both, as names are elements and text. */
function requestsBeyondOne(elements: number, bytes: number): number {
  return Math.ceil(Math.max((elements - MANY) / PER_REQUEST, (bytes - MUCH) / BYTES_PER_REQUEST));
}

/** Number of elements of all lists in a validated body, which nests a few levels at most. */
function elementsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? value.length : 0;
  return Object.values(value).reduce((sum: number, one) => sum + elementsOf(one), own);
}

/** Bytes of all text in a validated body. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, one) => sum + bytesOf(one), 0);
}
