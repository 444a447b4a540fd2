import type { Application, User } from '@castellan/sdk';
import { useMutation } from '@tanstack/react-query';
import { castellan, forget } from '../../session/api.ts';
import { notify } from '../../shared/notices.tsx';
import { t } from '../../text/text.ts';

export interface Decision {
  readonly decision: 'approved' | 'rejected';
  /** Shown to the applicant. */
  readonly reason?: string;
  /** Shown to moderators. */
  readonly note?: string;
}

/** Decides an application. */
export function useDecision({ application_id }: Application) {
  return useMutation({
    mutationFn: ({ decision, reason = '', note = '' }: Decision) =>
      castellan.application.decide({
        params: { application_id },
        body: { decision, ...(reason !== '' && { reason }), ...(note !== '' && { note }) },
      }),
    onSuccess: ({ applicant: { character_name: name }, group, state }) =>
      notify(
        state === 'approved'
          ? t('{name} is a member of {group} now.', { name, group: group.group_name })
          : t('{name} is told that it was rejected.', { name }),
      ),
    // Not awaited: the card tells of the decision before the list lacks the application.
    onSettled: () => void forget('application', 'group', 'user'),
  });
}

/** Whether somebody may still decide this application; nobody decides their own. */
export function isToDecide({ state, applicant }: Application, me: User): boolean {
  return state === 'pending' && applicant.character_id !== me.character_id;
}
