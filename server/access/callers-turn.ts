import type { Admission } from './admission.ts';
import { answersFor, type Caller } from './caller.queries.ts';
import { isAdministrator } from './clearance-levels.ts';
import type { Lines } from './lines.ts';

/**
 * Runs a write in its caller's turn: the transaction locks the caller's row (`readmit`), so that a second one would only
 * occupy a connection while it waits for the first (D3c). Levels 9 and 10 do not wait here.
 */
export async function inCallersTurn<T>(
  lines: Pick<Lines, 'callers'>,
  admission: Admission,
  work: (admission: Admission) => Promise<T>,
): Promise<T> {
  const { caller } = admission;
  return isAdministrator(caller.level) ? work(admission) : lines.callers(turnOf(caller), admission, work);
}

/**
 * Whose turn a request takes: all tokens that one user is responsible for share it, but for dynamic ones, as the sign-ins
 * that an application starts do not wait for what its owner does.
 */
export function turnOf(caller: Caller): string {
  return caller.token_type === 'dyn' ? caller.uuid : String(answersFor(caller));
}
