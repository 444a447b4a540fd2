import type { Why as WhyRecord } from '@castellan/sdk';
import { Alert, Badge, Button, List, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../text/text.ts';
import { withTimes } from '../text/time.ts';
import { whyOf } from './by-id.ts';
import { Dialog } from './dialog.tsx';
import { Moment } from './moment.tsx';
import { Name } from './name.tsx';
import { Part } from './screen.tsx';

interface WhyProps {
  readonly characterId: number;
  /** `login`, `level`, `tracking`, `group:ID`, `read:ID` or `write:ID` (D120). */
  readonly about: string;
  /** The question in words, for screen readers. */
  readonly label: string;
  /** The text of the button. */
  readonly text?: string;
}

/** A button that asks the service for the reason of a decision about a user, and shows it. */
export function Why({ characterId, about, label, text = t('Why?') }: WhyProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => setOpen(true)}
        aria-label={`${text} ${label}`.trim()}
      >
        {text}
      </Button>
      <Dialog opened={open} onClose={() => setOpen(false)} title={`${text} ${label}`.trim()} size="lg">
        <Part rows={3}>{open && <Answer characterId={characterId} about={about} />}</Part>
      </Dialog>
    </>
  );
}

function Answer({ characterId, about }: Pick<WhyProps, 'characterId' | 'about'>) {
  const { data: why } = useSuspenseQuery(whyOf(characterId, about));
  return (
    <Stack>
      <Text fw={600}>{withTimes(why.sentence)}</Text>
      <Facts of={why} />
      {why.fixes.length > 0 && (
        <Alert variant="default" title={t('What would change it')}>
          <List>
            {why.fixes.map(({ who, text, operation }) => (
              <List.Item key={`${who} ${operation} ${text}`}>
                <Name of={who} />: {text}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Text size="sm" c="dimmed">
        {t('As of')} <Moment at={why.as_of} />
      </Text>
    </Stack>
  );
}

/** What a fact comes from; one that is hidden has no name either. */
const KINDS = {
  corporation: 'Corporation',
  alliance: 'Alliance',
  coalition: 'Coalition',
  group: 'Group',
  hidden: '',
} as const;

function Facts({ of: { facts } }: { readonly of: WhyRecord }) {
  if (facts.length === 0) return null;
  return (
    <List>
      {facts.map(({ rule, source, via, says, decisive }) => (
        <List.Item key={`${rule} ${source?.type} ${source?.id} ${via} ${says}`}>
          {source !== null && source.name !== null && (
            <>
              {t(KINDS[source.type])} <Name of={source.name} />:{' '}
            </>
          )}
          {withTimes(says)}{' '}
          {decisive && (
            <Badge variant="default" tt="none">
              {t('decisive')}
            </Badge>
          )}{' '}
          <Text span size="sm" c="dimmed">
            {rule}
          </Text>
        </List.Item>
      ))}
    </List>
  );
}
