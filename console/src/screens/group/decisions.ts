import type { Application } from '@castellan/sdk';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { castellan, forget, queries, queryClient } from '../../session/api.ts';
import { notify } from '../../shared/notices.tsx';
import { t } from '../../text/text.ts';

export interface Decision {
  readonly application: Application;
  readonly decision: 'approved' | 'rejected';
  /** Shown to the applicant; may be empty. */
  readonly reason: string;
  /** Shown to moderators; may be empty. */
  readonly note: string;
}

interface Failure {
  readonly application: Application;
  readonly error: unknown;
}

/** Decides applications. They leave the lists at once, and come back when the service refuses the decision. */
export function useDecisions() {
  const [failures, setFailures] = useState<readonly Failure[]>([]);
  const { mutate: decide } = useMutation({
    mutationFn: ({ application: { application_id }, decision, reason, note }: Decision) =>
      castellan.application.decide({
        params: { application_id },
        body: { decision, ...(reason !== '' && { reason }), ...(note !== '' && { note }) },
      }),
    onMutate: async ({ application }) => {
      setFailures((all) => all.filter((each) => !isSame(each.application, application)));
      await change(application, (list) => list.filter((each) => !isSame(each, application)));
    },
    onError: async (error, { application }) => {
      setFailures((all) => [...all, { application, error }]);
      await change(application, (list) => putBack(list, application));
    },
    onSuccess: ({ applicant: { character_name: name }, group, state }) =>
      notify(
        state === 'approved'
          ? t('{name} is a member of {group} now.', { name, group: group.group_name })
          : t('{name} is told that it was rejected.', { name }),
      ),
    onSettled: () => forget('application', 'group', 'user'),
  });
  return { decide, failures };
}

/** Changes the cached lists of pending applications that contain the application. */
async function change(
  { group: { group_id } }: Application,
  by: (list: Application[]) => Application[],
): Promise<void> {
  const keys = [
    queries.application.list({ query: { role: 'moderator' } }).queryKey,
    queries.group.applications({ params: { group_id }, query: { state: 'pending' } }).queryKey,
  ];
  await Promise.all(keys.map((queryKey) => queryClient.cancelQueries({ queryKey })));
  for (const key of keys) queryClient.setQueryData<Application[]>(key, (list) => list && by(list));
}

/** Inserts an application in the order of the list, newest first. */
function putBack(list: readonly Application[], application: Application): Application[] {
  const others = list.filter((each) => !isSame(each, application));
  return [...others, application].sort((a, b) => b.created_on.localeCompare(a.created_on));
}

function isSame(one: Application, other: Application): boolean {
  return one.application_id === other.application_id;
}
