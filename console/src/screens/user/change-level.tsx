import type { User } from '@castellan/sdk';
import { Button, Group, Select, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { castellan, forget, queries, queryClient } from '../../session/api.ts';
import { useMe } from '../../session/me.ts';
import { ALL_LEVELS, meaningOf } from '../../shared/level-words.ts';
import { notify } from '../../shared/notices.tsx';
import { useCareful } from '../../shared/preview-before-save.tsx';
import { shownAtOnce } from '../../shared/shown-at-once.ts';
import { t } from '../../text/text.ts';

const LOWEST_THAT_GIVES = 2;
const BUILT_IN = 0;

/** Sets a user's level: not one's own, a guest's or the built-in user's, and not above one's own level (D16). */
export function ChangeLevel({ user }: { readonly user: User }) {
  const me = useMe();
  // Nothing is chosen at first, so that the field follows changes of the level by others.
  const [chosen, setChosen] = useState<number>();
  const level = chosen ?? user.clearance_level;
  const params = { character_id: user.character_id };
  const { queryKey } = queries.user.get({ params: { character_name: user.character_name } });
  const change = useMutation({
    mutationFn: (clearance_level: number) => castellan.user.update({ params, body: { clearance_level } }),
    ...shownAtOnce(queryClient, queryKey, (before: User, clearance_level: number) => ({
      ...before,
      clearance_level,
    })),
    onSuccess: async (changed) => {
      setChosen(undefined);
      queryClient.setQueryData(queryKey, changed);
      notify(
        t('{name} has level {level} now.', { name: changed.character_name, level: changed.clearance_level }),
      );
      await forget('user');
    },
  });
  const careful = useCareful({
    preview: (clearance_level: number) =>
      castellan.user.update.preview({ params, body: { clearance_level } }),
    save: change.mutateAsync,
  });
  const offered = user.clearance_level >= 0 && ![me.character_id, BUILT_IN].includes(user.character_id);
  if (!offered || me.clearance_level < LOWEST_THAT_GIVES) return null;
  const levels = ALL_LEVELS.filter((each) => each <= Math.max(me.clearance_level, user.clearance_level));
  return (
    <Stack gap="xs">
      <Group align="flex-end">
        <Select
          label={t('New level')}
          data={levels.map((each) => ({
            value: String(each),
            label: t('{level}: {meaning}', { level: each, meaning: meaningOf(each) }),
          }))}
          value={String(level)}
          onChange={(value) => setChosen(Number(value))}
          allowDeselect={false}
          flex={1}
          miw={220}
        />
        <Button
          onClick={() => careful.run(level)}
          loading={careful.isPending}
          disabled={level === user.clearance_level}
        >
          {t('Set level')}
        </Button>
      </Group>
      {careful.dialog}
    </Stack>
  );
}
