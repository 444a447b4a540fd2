import type { Response } from 'express';
import type { Caller } from '../access/caller.queries.ts';
import { isAdministrator } from '../access/clearance-levels.ts';
import { inLine, type Lines } from '../database/lines.ts';
import { goneWith } from './client-gone.ts';
import { chargeMore } from './within-limit.ts';

/** Elements of the lists in a body from which on a write takes long. */
const MANY = 1_000;
/** Elements beyond that which count as one more request (D60). */
const PER_REQUEST = 100;

interface Write {
  readonly caller: Caller;
  readonly body: unknown;
  readonly isRehearsal: boolean;
  readonly res: Response;
}

/**
 * Runs a dry run, or a write with many ids, in its caller's turn: each holds a connection for long, so only a few of one
 * caller run at a time, and the other connections stay free for everybody else (D3c). Levels 9 and 10 do not wait.
 */
export async function inLineIfSlow<T>(
  lines: Lines,
  { caller, body, isRehearsal, res }: Write,
  work: () => Promise<T>,
): Promise<T> {
  const { level, sponsor_id, owner_id } = caller;
  if (isAdministrator(level)) return work();
  const beyond = elementsOf(body) - MANY;
  if (beyond > 0) await chargeMore(res, Math.ceil(beyond / PER_REQUEST));
  if (beyond <= 0 && !isRehearsal) return work();
  return inLine(lines.slowWrites, String(sponsor_id ?? owner_id), () => goneWith(res), work);
}

/** Number of elements of all lists in a validated body, which nests a few levels at most. */
function elementsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? value.length : 0;
  return Object.values(value).reduce((sum: number, one) => sum + elementsOf(one), own);
}
