import { whyLogin } from '../why/login.ts';
import type { NotAllowed } from './outcome.ts';
import type { Judged } from './sign-in.queries.ts';

/** What somebody is told who may not log in: the sentence of why, and every voice that keeps it out (D26, D120). */
export function notAllowedFor(
  who: { readonly name: string; readonly characterId: number },
  { admitted, level, voices, guest_of: guestOf }: Judged,
): Omit<NotAllowed, 'kind'> {
  const { sentence, facts } = whyLogin({ ...who, level, guestOf, admitted, voices });
  const refusedBy = facts.flatMap(({ source, decisive }) => (decisive && source !== null ? [source] : []));
  return { sentence, refusedBy };
}
