import type { Coalition } from '@castellan/sdk';
import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { castellan, forget, queries, queryClient } from '../../session/api.ts';
import { LinkAnchor } from '../../shared/links.tsx';
import { Name } from '../../shared/name.tsx';
import { notify } from '../../shared/notices.tsx';
import { useCareful } from '../../shared/preview-before-save.tsx';
import { t } from '../../text/text.ts';

type Change = NonNullable<Parameters<typeof castellan.coalition.update>[0]['body']>;

interface Member {
  readonly id: number;
  readonly name: string;
  readonly to: '/alliance/$id' | '/corporation/$id';
  readonly remove: Change;
}

interface CoalitionMembersProps {
  readonly coalition: Coalition;
  readonly mayChange: boolean;
}

/** The alliances and corporations of a coalition. */
export function CoalitionMembers({ coalition, mayChange }: CoalitionMembersProps) {
  const params = { coalition_id: coalition.coalition_id };
  const { queryKey } = queries.coalition.get({ params });
  const change = useMutation({
    mutationFn: (body: Change) => castellan.coalition.update({ params, body }),
    onSuccess: async (changed) => {
      queryClient.setQueryData(queryKey, changed);
      notify(t('The members are saved.'));
      await forget('coalition', 'alliance', 'corporation', 'user', 'group');
    },
  });
  const careful = useCareful({
    preview: (body: Change) => castellan.coalition.update.preview({ params, body }),
    save: change.mutateAsync,
  });
  const members = membersOf(coalition);
  return (
    <Stack>
      {members.length === 0 ? (
        <Text>{t('Nobody belongs to it yet.')}</Text>
      ) : (
        <ul className="rows">
          {members.map(({ id, name, to, remove }) => (
            <li key={`${to} ${id}`} className="row">
              <LinkAnchor to={to} params={{ id: String(id) }}>
                <Name of={name} />
              </LinkAnchor>
              {mayChange && (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={t('Remove {name}', { name })}
                  onClick={() => careful.run(remove)}
                >
                  {t('Remove')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {careful.dialog}
      {mayChange && <Add coalition={coalition} add={careful.run} />}
    </Stack>
  );
}

function membersOf({ member_alliances, member_corporations }: Coalition): Member[] {
  return [
    ...member_alliances.map(({ alliance_id: id, alliance_name: name }) => ({
      ...{ id, name, to: '/alliance/$id' as const, remove: { remove_member_alliances: [id] } },
    })),
    ...member_corporations.map(({ corporation_id: id, corporation_name: name }) => ({
      ...{ id, name, to: '/corporation/$id' as const, remove: { remove_member_corporations: [id] } },
    })),
  ];
}

interface AddProps {
  readonly coalition: Coalition;
  readonly add: (body: Change) => void;
}

function Add({ coalition, add }: AddProps) {
  const { data: alliances } = useSuspenseQuery(queries.alliance.list());
  const { data: corporations } = useSuspenseQuery(queries.corporation.list());
  const [chosen, setChosen] = useState<string | null>(null);
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
  const send = () => {
    const id = Number(chosen?.slice(1));
    add(
      chosen?.startsWith('a') === true ? { add_member_alliances: [id] } : { add_member_corporations: [id] },
    );
    setChosen(null);
  };
  return (
    <Group align="flex-end">
      <Select
        label={t('Alliance or corporation to add')}
        data={choices}
        value={chosen}
        onChange={setChosen}
        searchable
        limit={100}
        nothingFoundMessage={t('Nothing is registered by this name.')}
        flex={1}
        miw={200}
      />
      <Button disabled={chosen === null} onClick={send}>
        {t('Add')}
      </Button>
    </Group>
  );
}
