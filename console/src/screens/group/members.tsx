import type { Group, UserShort } from '@castellan/sdk';
import { Button, Stack, Text } from '@mantine/core';
import { useRef } from 'react';
import { FilteredList } from '../../shared/filtered-list.tsx';
import { notify } from '../../shared/notices.tsx';
import { useCareful } from '../../shared/preview-before-save.tsx';
import { useSteady } from '../../shared/steady.ts';
import { UserLink } from '../../shared/user-link.tsx';
import { t } from '../../text/text.ts';
import { changeOf } from './change.ts';
import { PasteNames } from './paste-names.tsx';

interface MembersProps {
  readonly group: Group;
  readonly mayChange: boolean;
}

/** The members of a group, with means to add and remove some for those who may. */
export function Members({ group, mayChange }: MembersProps) {
  const { save, preview } = changeOf(group);
  const changeable = mayChange && !group.is_autogroup;
  const members = useSteady(group.members, ({ character_id }) => character_id);
  const list = useRef<HTMLDivElement>(null);
  const removing = useCareful({
    titleOf: ({ character_name: name }: UserShort) => t('Remove {name}', { name }),
    preview: ({ character_name: name }) => preview({ remove_members: [name] }),
    save: async ({ character_id, character_name: name }) => {
      const left = await save({ remove_members: [name] });
      notify(
        left.members.some((member) => member.character_id === character_id)
          ? t('{name} is still a member: another character of that name was meant.', { name })
          : t('{name} is no member any more.', { name }),
      );
    },
  });
  return (
    <Stack>
      {changeable && (
        <div>
          <PasteNames
            members={group.members}
            preview={(names) => preview({ add_members: names })}
            add={async (names) => {
              await save({ add_members: names });
              notify(t('{n} added.', { n: names.length }));
            }}
          />
        </div>
      )}
      {removing.dialog}
      <div ref={list}>
        <FilteredList
          label={t('Members')}
          items={members}
          textOf={({ item }) => item.character_name}
          keyOf={({ item }) => item.character_id}
          isGone={({ isGone }) => isGone}
          empty={t('Nobody is in it.')}
        >
          {({ item: member }) => (
            <div className="row">
              <UserLink of={member} />
              {member.character_id === group.owner?.character_id ? (
                <Text size="sm" c="dimmed">
                  {t('Owner')}
                </Text>
              ) : (
                changeable && (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={t('Remove {name}', { name: member.character_name })}
                    loading={removing.pending?.character_id === member.character_id}
                    disabled={removing.isPending}
                    onClick={() => {
                      // The focused button goes.
                      list.current?.querySelector('section')?.focus();
                      removing.run(member);
                    }}
                  >
                    {t('Remove')}
                  </Button>
                )
              )}
            </div>
          )}
        </FilteredList>
      </div>
    </Stack>
  );
}
