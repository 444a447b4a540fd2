import type { Event } from '@castellan/sdk';
import { Badge, Code, Group, List, Stack, Text } from '@mantine/core';
import { Fragment, useState } from 'react';
import { t } from '../../text/text.ts';
import { Character } from '../character.tsx';
import { type Listing, useListing } from '../listing.ts';
import { Moment } from '../moment.tsx';
import { More } from '../more.tsx';
import { Name } from '../name.tsx';
import { changeInWords } from './change-in-words.ts';
import { Somebody } from './somebody.tsx';
import { wordsOf } from './words.ts';

/** A list of events, latest first. */
export function EventList({ of }: { readonly of: Listing<Event> }) {
  const events = useListing(of);
  if (events.entries.length === 0 && !events.hasNextPage) {
    return <Text role="status">{t('Nothing that you may see.')}</Text>;
  }
  return (
    <Stack align="stretch">
      <ol className="rows" aria-label={t('Events')}>
        {events.entries.map((event) => (
          <li key={event.event_id}>
            <Entry event={event} />
          </li>
        ))}
      </ol>
      <div>
        <More of={events} />
      </div>
    </Stack>
  );
}

function Entry({ event }: { readonly event: Event }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="event" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Group component="span" gap="xs" display="inline-flex">
          <Text span fw={600}>
            {wordsOf(event.type)}
          </Text>
          <Name of={event.targets.map(({ name, id }) => name ?? `#${id}`).join(', ')} />
          {event.outcome !== 'done' && (
            <Badge variant="default" tt="none">
              {event.outcome === 'held' ? t('Held back') : t('Refused')}
            </Badge>
          )}
          <Text span size="sm" c="dimmed">
            <Moment at={event.occurred_on} />
          </Text>
        </Group>
      </summary>
      {/* Everybody whom it names is a request. */}
      {open && <Details event={event} />}
    </details>
  );
}

function Details({ event }: { readonly event: Event }) {
  const { actor, changes, reason, cause, context } = event;
  return (
    <Stack gap="xs" p="xs">
      <dl className="facts">
        <dt>{t('By')}</dt>
        <dd>
          <Somebody actor={actor} />
        </dd>
        {reason !== null && (
          <>
            <dt>{t('Reason')}</dt>
            <dd>
              <Name of={reason} />
            </dd>
          </>
        )}
        {cause !== null && (
          <>
            <dt>{t('Because of')}</dt>
            <dd>{cause.job ?? cause.event_id ?? cause.run_id}</dd>
          </>
        )}
        {context !== null && (
          <>
            <dt>{t('From')}</dt>
            <dd>
              {context.address}{' '}
              <Text span size="sm">
                {context.user_agent}
              </Text>
            </dd>
            <dt>{t('Request')}</dt>
            <dd>
              <Code>{context.request_id}</Code>
            </dd>
          </>
        )}
      </dl>
      {changes.length > 0 && (
        <List size="sm">
          {changes.map((change) => (
            <List.Item key={change.field}>
              <bdi>{changeInWords(change)}</bdi>
              {'added' in change && change.field === 'members' && (
                <>
                  <Characters label={t('Came:')} ids={change.added} />
                  <Characters label={t('Left:')} ids={change.removed} />
                </>
              )}
            </List.Item>
          ))}
        </List>
      )}
    </Stack>
  );
}

/** Of more than these only the number is told, because each is a request. */
const NAMED = 10;

function Characters({ label, ids }: { readonly label: string; readonly ids: readonly number[] }) {
  if (ids.length === 0 || ids.length > NAMED) return null;
  return (
    <div>
      {label}{' '}
      {ids.map((id, index) => (
        <Fragment key={id}>
          {index > 0 && ', '}
          <Character id={id} />
        </Fragment>
      ))}
    </div>
  );
}
