import type { HeldChange, HeldDetail } from '@castellan/sdk';
import { Group, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { FilteredList } from '../../shared/filtered-list.tsx';
import { LinkAnchor } from '../../shared/links.tsx';
import { Name } from '../../shared/name.tsx';
import { fieldInWords, type InWords, useValuesInWords } from '../../shared/standing-words.ts';
import { UserLink } from '../../shared/user-link.tsx';
import { count, t } from '../../text/text.ts';

/** A user or organization with all values that would change. */
interface Subject {
  readonly target: HeldDetail['target'];
  readonly details: HeldDetail[];
}

/** The values that would change, with before and after, by user or organization. */
export function HeldDetails({ change }: { readonly change: HeldChange }) {
  const inWords = useValuesInWords();
  const subjects = useMemo(() => bySubject(change.details), [change.details]);
  return (
    <Stack gap="xs">
      <FilteredList
        label={t('what would change')}
        items={subjects}
        textOf={nameOf}
        keyOf={({ target }) => `${target.type}:${target.id}`}
        empty={t('Nothing more is known of it.')}
      >
        {(subject) => <Row subject={subject} inWords={inWords} />}
      </FilteredList>
      {change.more > 0 && (
        <Text size="sm">
          {count(change.more, 'and {n} value more, not shown', 'and {n} values more, not shown')}
        </Text>
      )}
    </Stack>
  );
}

function bySubject(details: readonly HeldDetail[]): Subject[] {
  const subjects = new Map<string, Subject>();
  for (const detail of details) {
    const key = `${detail.target.type}:${detail.target.id}`;
    const subject = subjects.get(key);
    if (subject === undefined) subjects.set(key, { target: detail.target, details: [detail] });
    else subject.details.push(detail);
  }
  return [...subjects.values()];
}

function nameOf({ target: { name, id } }: Subject): string {
  return name ?? `#${id}`;
}

interface RowProps {
  readonly subject: Subject;
  readonly inWords: InWords;
}

function Row({ subject, inWords }: RowProps) {
  return (
    <div className="row wrapping">
      <Who subject={subject} />
      <dl className="from-to">
        {subject.details.map((detail) => (
          <div key={detail.field}>
            <dt>{fieldInWords(detail.field)}</dt>
            <dd>
              <s>
                <Name of={inWords(detail.field, detail.before)} />
              </s>{' '}
              → <Name of={inWords(detail.field, detail.after)} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Who({ subject }: { readonly subject: Subject }) {
  const { type, id, name } = subject.target;
  const shown = <Name of={nameOf(subject)} />;
  if (type === 'user' && name !== null) {
    return <UserLink of={{ character_id: Number(id), character_name: name }} />;
  }
  if (type === 'corporation' || type === 'alliance') {
    return (
      <Group gap="xs">
        <LinkAnchor to={`/${type}/$id`} params={{ id }}>
          {shown}
        </LinkAnchor>
        <Text span size="sm" c="dimmed">
          {type === 'alliance' ? t('alliance') : t('corporation')}
        </Text>
      </Group>
    );
  }
  return shown;
}
