import { whyLogin } from '../why/login.ts';
import type { NotAllowed } from './outcome.ts';
import type { Judged } from './sign-in.queries.ts';

/**
 * The refusal of a user who may not log in: a sentence that says why, and every group or coalition that forbids it
 * (D26, D120).
 */
export function notAllowedFor(
  who: { readonly name: string; readonly characterId: number },
  { admitted, level, votes, guest_of: guestOf }: Judged,
): Omit<NotAllowed, 'kind'> {
  const { sentence, facts } = whyLogin({ ...who, level, guestOf, admitted, votes });
  const refusedBy = facts.flatMap(({ source, decisive }) => (decisive && source !== null ? [source] : []));
  return { sentence, refusedBy };
}
