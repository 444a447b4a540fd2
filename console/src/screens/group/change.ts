import type { Group } from '@castellan/sdk';
import { useMutation } from '@tanstack/react-query';
import { castellan, forget, queries, queryClient } from '../../session/api.ts';
import { shownAtOnce } from '../../shared/shown-at-once.ts';

type Change = NonNullable<Parameters<typeof castellan.group.update>[0]['body']>;

/** Changes a group. The change is shown at once, and undone when the service refuses it. */
export function useGroupChange(groupId: string) {
  const params = { group_id: groupId };
  const { queryKey } = queries.group.get({ params });
  return useMutation({
    mutationFn: (body: Change) => castellan.group.update({ params, body }),
    ...shownAtOnce(queryClient, queryKey, expected),
    onSuccess: async (group) => {
      queryClient.setQueryData(queryKey, group);
      await forget('user');
    },
  });
}

/** The group after the change, as far as known before the answer, which contains the ids of new members. */
function expected(group: Group, { remove_members, authorized_to_login, description }: Change): Group {
  const removed = new Set(remove_members);
  return {
    ...group,
    members: group.members.filter(({ character_name }) => !removed.has(character_name)),
    authorized_to_login: authorized_to_login ?? group.authorized_to_login,
    description: description ?? group.description,
  };
}
