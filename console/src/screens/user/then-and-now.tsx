import { type Event, paginate, type User } from '@castellan/sdk';
import { Badge, Stack, Table, Text, TextInput } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { castellan } from '../../session/api.ts';
import { whyOf } from '../../shared/by-id.ts';
import { ADMINISTRATOR } from '../../shared/level-thresholds.ts';
import { Changing } from '../../shared/screen.tsx';
import { fieldInWords, useValuesInWords } from '../../shared/standing-words.ts';
import { count, t } from '../../text/text.ts';
import { eveTime } from '../../text/time.ts';
import { STANDING_FIELDS, type Standing, standingThen, TOLD_BY } from './standing-then.ts';

const DAY = 86_400_000;
/** Days for which the service keeps events about users. */
const KEPT = 3 * 365;

const inputOf = (date: Date) => eveTime(date).replace(' ', 'T');
const momentOf = (input: string) => new Date(`${input}Z`);

/** The standing of a user at a chosen time, beside the present one. */
export function ThenAndNow({ user }: { readonly user: User }) {
  const [chosen, setChosen] = useState(() => inputOf(new Date(Date.now() - 7 * DAY)));
  const isPast = momentOf(chosen).getTime() <= Date.now();
  return (
    <Stack align="stretch">
      <TextInput
        type="datetime-local"
        label={t('As of (EVE time)')}
        description={t('Events tell it, and they are kept for three years.')}
        value={chosen}
        max={inputOf(new Date())}
        min={inputOf(new Date(Date.now() - KEPT * DAY))}
        onChange={(event) => setChosen(event.currentTarget.value)}
        maw="20rem"
      />
      {isPast ? (
        <Changing to={chosen}>{(shown) => <Compared user={user} then={momentOf(shown)} />}</Changing>
      ) : (
        <Text role="status">{t('Choose a moment that has been.')}</Text>
      )}
    </Stack>
  );
}

interface ComparedProps {
  readonly user: User;
  readonly then: Date;
}

function Compared({ user, then }: ComparedProps) {
  const inWords = useValuesInWords();
  const now = useStandingNow(user);
  const since = then.toISOString();
  const { data: events } = useSuspenseQuery({
    queryKey: ['castellan', 'audit', 'standing', user.character_id, since],
    queryFn: () => eventsSince(user.character_id, since),
  });
  if (then.getTime() < Date.now() - KEPT * DAY) {
    return <Text role="status">{t('Nothing is kept of so long ago.')}</Text>;
  }
  const before = standingThen(now, events, then);
  if (before === undefined) {
    return <Text role="status">{t('Nobody of this id was registered here at that time.')}</Text>;
  }
  const differing = STANDING_FIELDS.filter((field) => differs(before[field], now[field]));
  return (
    <>
      <Text role="status">
        {differing.length === 0
          ? t('All of it was as it is today.')
          : count(differing.length, '{n} thing was another way.', '{n} things were another way.')}
      </Text>
      <Table layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('What')}</Table.Th>
            <Table.Th>{t('On {time} EVE', { time: eveTime(then) })}</Table.Th>
            <Table.Th>{t('Today')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {STANDING_FIELDS.map((field) => (
            <Table.Tr key={field}>
              <Table.Th scope="row" fw={400}>
                {fieldInWords(field)}
              </Table.Th>
              <Table.Td>
                <bdi>{inWords(field, before[field])}</bdi>
              </Table.Td>
              <Table.Td fw={differing.includes(field) ? 700 : 400}>
                <bdi>{inWords(field, now[field])}</bdi>{' '}
                {differing.includes(field) && (
                  <Badge variant="default" tt="none">
                    {t('changed')}
                  </Badge>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </>
  );
}

/** All events about the user's standing since a time, over all pages. */
async function eventsSince(characterId: number, since: string): Promise<readonly Event[]> {
  const query = { target: `user:${characterId}`, type: TOLD_BY, since, limit: 1000 };
  const events: Event[] = [];
  for await (const event of paginate(castellan.audit.list, { query })) events.push(event);
  return events;
}

function differs(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) !== JSON.stringify(other);
}

function useStandingNow(user: User): Standing {
  const { data: login } = useSuspenseQuery(whyOf(user.character_id, 'login'));
  return {
    // As events have it: levels 9 and 10 may use their tokens, whoever lets them in (D27b).
    may_log_in:
      user.clearance_level >= ADMINISTRATOR || (login.answer === 'unknown' ? null : login.answer === 'yes'),
    clearance_level: user.clearance_level,
    corporation: user.corporation === null ? null : Number(user.corporation),
    alliance: user.alliance === null ? null : Number(user.alliance),
    coalitions: user.coalitions.toSorted(),
  };
}
