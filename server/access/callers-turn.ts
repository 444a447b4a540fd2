import { inLine, type Lines } from '../database/lines.ts';
import type { Admission } from './admission.ts';
import { answersFor, type Caller } from './caller.queries.ts';
import { isAdministrator } from './clearance-levels.ts';

const never = () => new AbortController().signal;

/**
 * Runs a write in its caller's turn: the transaction locks the caller's row ({@link readmit}), so that a second one
 * would only occupy a connection while it waits for the first (D3c). Levels 9 and 10 do not wait here.
 */
export async function inCallersTurn<T>(
  lines: Pick<Lines, 'callers'>,
  { caller, gone = never }: Pick<Admission, 'caller' | 'gone'>,
  work: () => Promise<T>,
): Promise<T> {
  return isAdministrator(caller.level) ? work() : inLine(lines.callers, turnOf(caller), gone, work);
}

/**
 * Whose turn a request takes: all tokens that one user is responsible for share it, but for dynamic ones, as the sign-ins
 * that an application starts do not wait for what its owner does.
 */
export function turnOf(caller: Caller): string {
  return caller.token_type === 'dyn' ? caller.uuid : String(answersFor(caller));
}
