import type { Group } from '@castellan/sdk';
import { castellan, forget, queries, queryClient } from '../../session/api.ts';

type Change = NonNullable<Parameters<typeof castellan.group.update>[0]['body']>;

/** How a group is changed, for `useCareful`. */
export function changeOf({ group_id, authorized_to_login }: Group) {
  const params = { group_id };
  return {
    save: async (body: Change): Promise<Group> => {
      const group = await castellan.group.update({ params, body });
      queryClient.setQueryData(queries.group.get({ params }).queryKey, group);
      await forget('user');
      return group;
    },
    /** Absent where the group has no say in logging in: who comes or goes is named by who changes it. */
    preview:
      authorized_to_login === null
        ? undefined
        : (body: Change) => castellan.group.update.preview({ params, body }),
  };
}
