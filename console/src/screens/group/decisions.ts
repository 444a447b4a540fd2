import type { Application, User } from '@castellan/sdk';
import { type InfiniteData, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { castellan, forget, queryClient } from '../../session/api.ts';
import { applicationsAs, applicationsTo } from '../../shared/known-listings.ts';
import type { Stretch } from '../../shared/listing.ts';
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
  const keys = [applicationsAs('moderator').queryKey, applicationsTo(group_id, 'pending').queryKey];
  await Promise.all(keys.map((queryKey) => queryClient.cancelQueries({ queryKey })));
  for (const key of keys) {
    queryClient.setQueryData<InfiniteData<Stretch<Application>>>(
      key,
      (list) => list && { ...list, pages: changed(list.pages, by) },
    );
  }
}

/** All entries on the first page; each page keeps its cursor, so the list goes on where it did. */
function changed(
  pages: readonly Stretch<Application>[],
  by: (list: Application[]) => Application[],
): Stretch<Application>[] {
  const entries = by(pages.flatMap((page) => page.entries));
  return pages.map(({ next }, at) => ({ next, entries: at === 0 ? entries : [] }));
}

/** Inserts an application in the order of the list, newest first. */
function putBack(list: readonly Application[], application: Application): Application[] {
  const others = list.filter((each) => !isSame(each, application));
  return [...others, application].sort((a, b) => b.created_on.localeCompare(a.created_on));
}

/** Whether somebody may still decide this application; nobody decides their own. */
export function isToDecide({ state, applicant }: Application, me: User): boolean {
  return state === 'pending' && applicant.character_id !== me.character_id;
}

function isSame(one: Application, other: Application): boolean {
  return one.application_id === other.application_id;
}
