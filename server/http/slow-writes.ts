import type { Response } from 'express';
import type { Admission } from '../access/admission.ts';
import { isAdministrator } from '../access/clearance-levels.ts';
import { inCallersTurn, type Lines, turnOf } from '../access/lines.ts';
import { chargeMore } from './rate-limit.ts';

/** Elements of the lists in a body from which on a write takes long. */
const MANY = 1_000;
/** Elements beyond that which count as one more request (D60). */
const PER_REQUEST = 100;

interface Write {
  readonly admission: Admission;
  readonly isRehearsal: boolean;
  /** Whether it waits for another server first: it then takes its caller's turn by itself, once that has answered. */
  readonly asksOthers: boolean;
  readonly res: Response;
}

/**
 * Runs a write in its caller's turn, so that one caller occupies one connection. A dry run, or a write with many ids,
 * holds it for long, so only a few of all callers run at a time, and the other connections stay free for everybody else
 * (D3c). Levels 9 and 10 do not wait.
 */
export async function inLineOfWrites<T>(
  lines: Lines,
  { admission, isRehearsal, asksOthers, res }: Write,
  work: (admission: Admission) => Promise<T>,
): Promise<T> {
  const { caller, body } = admission;
  if (isAdministrator(caller.level)) return work(admission);
  const beyond = elementsOf(body) - MANY;
  if (beyond > 0) await chargeMore(res, Math.ceil(beyond / PER_REQUEST));
  const isSlow = beyond > 0 || isRehearsal;
  const inLineIfSlow = (admitted: Admission) =>
    isSlow ? lines.slowWrites(turnOf(caller), admitted, work) : work(admitted);
  return asksOthers ? inLineIfSlow(admission) : inCallersTurn(lines, admission, inLineIfSlow);
}

/** Number of elements of all lists in a validated body, which nests a few levels at most. */
function elementsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? value.length : 0;
  return Object.values(value).reduce((sum: number, one) => sum + elementsOf(one), own);
}
