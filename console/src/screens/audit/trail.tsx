import { SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { useMe } from '../../session/me.ts';
import { EventList } from '../../shared/events/event-list.tsx';
import { eventsOf, usesOf } from '../../shared/known-listings.ts';
import { Changing, Screen } from '../../shared/screen.tsx';
import { t } from '../../text/text.ts';

/** The events that concern the user: who used its data, what it did, and what was changed about it. */
export function Trail() {
  const { character_id } = useMe();
  const [about, setAbout] = useState('used');
  return (
    <Screen title={t('My trail')} lead={t('Who saw and used your data, and what you did yourself.')}>
      <Stack>
        <SegmentedControl
          aria-label={t('Show')}
          value={about}
          onChange={setAbout}
          data={[
            { value: 'used', label: t('Who used my data') },
            { value: 'me', label: t('All about me') },
            { value: 'mine', label: t('What I did') },
          ]}
        />
        <Changing to={about}>{(shown) => <EventList of={listOf(shown, character_id)} />}</Changing>
      </Stack>
    </Screen>
  );
}

function listOf(about: string, characterId: number) {
  if (about === 'used') return usesOf(characterId);
  return eventsOf(about === 'mine' ? { actor: characterId } : { target: `user:${characterId}` });
}
