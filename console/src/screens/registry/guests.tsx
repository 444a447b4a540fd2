import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { HOME } from '../../session/addresses.ts';
import { castellan, forget, queries } from '../../session/api.ts';
import { Confirm } from '../../shared/confirm.tsx';
import { Copyable } from '../../shared/copyable.tsx';
import { Name } from '../../shared/name.tsx';
import { Problem } from '../../shared/problem.tsx';
import { t } from '../../text/text.ts';

interface GuestsProps {
  readonly corporationId: number;
  readonly mayDelete: boolean;
}

/** Guests of a corporation, and a link that invites one more (D28). */
export function Guests({ corporationId, mayDelete }: GuestsProps) {
  const params = { corporation_id: corporationId };
  const { data: guests } = useSuspenseQuery(queries.corporation.listGuests({ params }));
  const [codes, setCodes] = useState<readonly string[]>([]);
  const inviting = useMutation({
    mutationFn: () => castellan.corporation.createGuestCode({ params }),
    onSuccess: ({ state_code }) => setCodes((before) => [...before, state_code]),
  });
  return (
    <Stack align="stretch">
      {guests.length === 0 ? (
        <Text>{t('It has no guests.')}</Text>
      ) : (
        <ul className="rows">
          {guests.map(({ character_id, character_name }) => (
            <li key={character_id} className="row">
              <Name of={character_name} />
              {mayDelete && (
                <Confirm
                  size="xs"
                  label={t('Send {name} away', { name: character_name })}
                  question={t('The guest loses access at once, and needs a new invitation to come back.')}
                  preview={() =>
                    castellan.corporation.deleteGuest.preview({ params: { ...params, character_id } })
                  }
                  act={async () => {
                    await castellan.corporation.deleteGuest({ params: { ...params, character_id } });
                    await forget('corporation', 'user');
                  }}
                >
                  {t('Send away')}
                </Confirm>
              )}
            </li>
          ))}
        </ul>
      )}
      <Problem error={inviting.error} />
      {codes.length > 0 && (
        <Stack gap="xs">
          <Text>{t('Each for one guest, within 24 hours:')}</Text>
          {codes.map((code, index) => (
            <Copyable
              key={code}
              text={`${location.origin}${HOME}/invitation#${code}`}
              label={t('invitation {n}', { n: index + 1 })}
            />
          ))}
        </Stack>
      )}
      <div>
        <Button variant="default" onClick={() => inviting.mutate()} loading={inviting.isPending}>
          {t('Invite a guest')}
        </Button>
      </div>
    </Stack>
  );
}
