import type { Coalition } from '@castellan/sdk';
import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { castellan, forget, queries, queryClient } from '../../session/api.ts';
import { useLevel } from '../../session/me.ts';
import { CHANGES_ALL } from '../../shared/level-thresholds.ts';
import { LinkAnchor } from '../../shared/links.tsx';
import { Name } from '../../shared/name.tsx';
import { notify } from '../../shared/notices.tsx';
import { useCareful } from '../../shared/preview-before-save.tsx';
import { useSteady } from '../../shared/steady.ts';
import { t } from '../../text/text.ts';

interface Change {
  readonly key: string;
  /** The name of its button, and the title of the question. */
  readonly title: string;
  readonly body: NonNullable<Parameters<typeof castellan.coalition.update>[0]['body']>;
}

/** A member, with the change that removes it. */
interface Member extends Change {
  readonly id: number;
  readonly name: string;
  readonly to: '/alliance/$id' | '/corporation/$id';
}

interface CoalitionMembersProps {
  readonly coalition: Coalition;
  readonly mayChange: boolean;
}

/** The alliances and corporations of a coalition. */
export function CoalitionMembers({ coalition, mayChange }: CoalitionMembersProps) {
  const params = { coalition_id: coalition.coalition_id };
  const { queryKey } = queries.coalition.get({ params });
  const careful = useCareful({
    titleOf: ({ title }: Change) => title,
    preview: ({ body }) => castellan.coalition.update.preview({ params, body }),
    save: async ({ body }) => {
      queryClient.setQueryData(queryKey, await castellan.coalition.update({ params, body }));
      notify(t('The members are saved.'));
      await forget('coalition', 'alliance', 'corporation', 'user', 'group');
    },
  });
  const members = useSteady(
    useMemo(() => membersOf(coalition), [coalition]),
    ({ key }) => key,
  );
  return (
    <Stack>
      {members.every(({ isGone }) => isGone) && <Text>{t('Nobody belongs to it yet.')}</Text>}
      {members.length > 0 && (
        <ul className="rows">
          {members.map(({ item: member, isGone }) => (
            <li key={member.key} className="row" inert={isGone}>
              <LinkAnchor to={member.to} params={{ id: String(member.id) }}>
                <Name of={member.name} />
              </LinkAnchor>
              {mayChange && (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={member.title}
                  loading={careful.pending?.key === member.key}
                  disabled={careful.isPending}
                  onClick={() => careful.run(member)}
                >
                  {t('Remove')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {careful.dialog}
      {mayChange && <Add coalition={coalition} add={careful.run} pending={careful.pending} />}
    </Stack>
  );
}

function membersOf({ member_alliances, member_corporations }: Coalition): Member[] {
  return [
    ...member_alliances.map(({ alliance_id: id, alliance_name: name }) => ({
      id,
      name,
      to: '/alliance/$id' as const,
      key: `alliance ${id}`,
      title: t('Remove {name}', { name }),
      body: { remove_member_alliances: [id] },
    })),
    ...member_corporations.map(({ corporation_id: id, corporation_name: name }) => ({
      id,
      name,
      to: '/corporation/$id' as const,
      key: `corporation ${id}`,
      title: t('Remove {name}', { name }),
      body: { remove_member_corporations: [id] },
    })),
  ];
}

const ADD = 'add';

interface AddProps {
  readonly coalition: Coalition;
  readonly add: (change: Change) => void;
  /** The change that is under way. */
  readonly pending: Change | undefined;
}

function Add({ coalition, add, pending }: AddProps) {
  const { data: alliances } = useSuspenseQuery(queries.alliance.list());
  const { data: corporations } = useSuspenseQuery(queries.corporation.list());
  const [chosen, setChosen] = useState<string | null>(null);
  const changesAll = useLevel(CHANGES_ALL);
  const inside = new Set(membersOf(coalition).map(({ id }) => id));
  const choices = [
    {
      group: t('Alliances'),
      items: alliances
        .filter(({ alliance_id }) => !inside.has(alliance_id))
        .map(({ alliance_id, alliance_name }) => ({ value: `a${alliance_id}`, label: alliance_name })),
    },
    {
      group: t('Corporations'),
      items: corporations
        .filter(({ corporation_id }) => !inside.has(corporation_id))
        .map(({ corporation_id, corporation_name }) => ({
          value: `c${corporation_id}`,
          label: corporation_name,
        })),
    },
  ];
  const name = choices.flatMap(({ items }) => items).find(({ value }) => value === chosen)?.label;
  const send = () => {
    const ids = [Number(chosen?.slice(1))];
    const body = chosen?.startsWith('a') ? { add_member_alliances: ids } : { add_member_corporations: ids };
    add({ key: ADD, title: t('Add {name}', { name: name ?? '' }), body });
    setChosen(null);
  };
  return (
    <Group align="flex-end">
      <Select
        label={t('Alliance or corporation to add')}
        description={
          // Which ones these are is known to the service alone.
          !changesAll &&
          t('Below level 8 you can add and remove only what is in a coalition together with you.')
        }
        data={choices}
        value={chosen}
        onChange={setChosen}
        searchable
        selectFirstOptionOnChange
        limit={100}
        nothingFoundMessage={t('Nothing is registered by this name.')}
        flex={1}
        miw="min(200px, 100%)"
      />
      <Button
        loading={pending?.key === ADD}
        disabled={chosen === null || pending !== undefined}
        onClick={send}
      >
        {t('Add')}
      </Button>
    </Group>
  );
}
