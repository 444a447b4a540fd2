import { useMutation } from '@tanstack/react-query';
import { castellan, forget, queries, queryClient } from '../../session/api.ts';

type Change = NonNullable<Parameters<typeof castellan.group.update>[0]['body']>;

/** Changes a group. */
export function useGroupChange(groupId: string) {
  const params = { group_id: groupId };
  const { queryKey } = queries.group.get({ params });
  return useMutation({
    mutationFn: (body: Change) => castellan.group.update({ params, body }),
    onSuccess: async (group) => {
      queryClient.setQueryData(queryKey, group);
      await forget('user');
    },
  });
}
