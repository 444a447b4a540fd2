import type { Group, Preview, PreviewChange } from '@castellan/sdk';
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
    /** Where the group has no say in logging in, without who comes or goes: whoever changes it names them. */
    preview: async (body: Change): Promise<Preview> => {
      const { changes } = await castellan.group.update.preview({ params, body });
      const isNews = ({ group }: PreviewChange) =>
        authorized_to_login !== null || group?.group_id !== group_id;
      return { changes: changes.filter(isNews) };
    },
  };
}
