import { SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import { useMe } from '../../session/me.ts';
import { EventList } from '../../shared/events/event-list.tsx';
import { Part, Screen } from '../../shared/screen.tsx';
import { t } from '../../text/text.ts';

const USED = 'ext.asked_on_behalf,history.read';

/** The events that concern the user: who used its data, what it did, and what was changed about it. */
export function Trail() {
  const { character_id } = useMe();
  const [about, setAbout] = useState('used');
  const target = `user:${character_id}`;
  const questions = {
    used: { target, type: USED },
    me: { target },
    mine: { actor: character_id },
  } as const;
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
        <Part key={about}>
          <EventList question={questions[about as keyof typeof questions]} />
        </Part>
      </Stack>
    </Screen>
  );
}
