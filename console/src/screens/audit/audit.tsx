import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { EventList } from '../../shared/events/event-list.tsx';
import { eventsOf } from '../../shared/known-listings.ts';
import { Changing, Screen } from '../../shared/screen.tsx';
import { listed, t } from '../../text/text.ts';

/** Without a maximum the field takes years of six digits, which are no datetime. */
const LATEST = '9999-12-31T23:59';

interface Question {
  readonly actor?: number;
  readonly target?: string;
  readonly type?: string;
  readonly since?: string;
  readonly until?: string;
}

/** The audit log, as far as the user's authority reaches. */
export function Audit() {
  const [question, setQuestion] = useState<Question>({});
  const ask = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setQuestion(questionOf(new FormData(event.currentTarget)));
  };
  return (
    <Screen title={t('Audit')} lead={t('Who did what, the latest first.')}>
      <Stack>
        <form onSubmit={ask}>
          <Stack>
            <div className="grid">
              <TextInput
                name="actor"
                label={t('By')}
                description={t('Id of the character who did it.')}
                inputMode="numeric"
              />
              <TextInput
                name="target"
                label={t('About')}
                description={t('A kind and an id, such as user:2112000001.')}
              />
              <TextInput
                name="type"
                label={t('Types')}
                description={t('Such as group.members_changed, or several with commas.')}
              />
              <TextInput name="since" type="datetime-local" max={LATEST} label={t('Since (EVE time)')} />
              <TextInput name="until" type="datetime-local" max={LATEST} label={t('Until (EVE time)')} />
            </div>
            <Group>
              <Button type="submit">{t('Look up')}</Button>
            </Group>
          </Stack>
        </form>
        <Changing to={question}>{(shown) => <EventList of={eventsOf(shown)} />}</Changing>
      </Stack>
    </Screen>
  );
}

function questionOf(data: FormData): Question {
  const text = (name: string) => String(data.get(name) ?? '').trim();
  const moment = (name: string) => (text(name) === '' ? '' : new Date(`${text(name)}Z`).toISOString());
  const types = listed(text('type'));
  return {
    ...(text('actor') !== '' && { actor: Number(text('actor')) }),
    ...(text('target') !== '' && { target: text('target') }),
    ...(types.length > 0 && { type: types.join(',') }),
    ...(moment('since') !== '' && { since: moment('since') }),
    ...(moment('until') !== '' && { until: moment('until') }),
  };
}
