import type { User } from '@castellan/sdk';
import { Button, Group, Select, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { castellan, forget, queryClient } from '../../session/api.ts';
import { useMe } from '../../session/me.ts';
import { levelsToGive } from '../../shared/authority.ts';
import { meaningOf } from '../../shared/level-words.ts';
import { notify } from '../../shared/notices.tsx';
import { useCareful } from '../../shared/preview-before-save.tsx';
import { shownAtOnce } from '../../shared/shown-at-once.ts';
import { t } from '../../text/text.ts';

interface ChangeLevelProps {
  readonly user: User;
  /** Of the query that the screen shows the user by. */
  readonly queryKey: readonly unknown[];
}

/** Sets a user's level, for those who may (D16); the service checks that again. */
export function ChangeLevel({ user, queryKey }: ChangeLevelProps) {
  const me = useMe();
  // Nothing is chosen at first, so that the field follows changes of the level by others.
  const [chosen, setChosen] = useState<number>();
  const level = chosen ?? user.clearance_level;
  const params = { character_id: user.character_id };
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
  const levels = levelsToGive(me, user);
  // With the highest level nothing is left to choose, but the question may still be open.
  if (levels.length === 0) return careful.dialog;
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
          miw="min(220px, 100%)"
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
