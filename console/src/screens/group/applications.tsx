import type { Application } from '@castellan/sdk';
import { Kbd, Stack, Text } from '@mantine/core';
import { type Listing, useListing } from '../../shared/listing.ts';
import { More } from '../../shared/more.tsx';
import { useSteady } from '../../shared/steady.ts';
import { t } from '../../text/text.ts';
import { ApplicationCard } from './application-card.tsx';

interface ApplicationsProps {
  readonly of: Listing<Application>;
  readonly empty: string;
}

/** Applications to decide, newest first, with buttons and keys. What arrives meanwhile comes last. */
export function Applications({ of, empty }: ApplicationsProps) {
  const listing = useListing(of);
  const { entries, hasNextPage } = listing;
  const shown = useSteady(entries, idOf);
  const last = entries.at(-1);
  // What is new moves the oldest ones to a page that is not loaded.
  const isBeyond = ({ created_on }: Application) =>
    hasNextPage && last !== undefined && created_on <= last.created_on;
  return (
    <Stack>
      {entries.length === 0 && !hasNextPage ? (
        <Text role="status">{empty}</Text>
      ) : (
        <Text size="sm" c="dimmed" visibleFrom="sm">
          <Kbd>↑</Kbd> <Kbd>↓</Kbd> {t('go from one to the next,')} <Kbd>A</Kbd> {t('approves,')} <Kbd>R</Kbd>{' '}
          {t('rejects.')}
        </Text>
      )}
      <ol className="cards" aria-label={t('Applications')} tabIndex={-1}>
        {shown.map(({ item, isGone }) => (
          <li key={idOf(item)}>
            <ApplicationCard application={item} isGone={isGone && !isBeyond(item)} />
          </li>
        ))}
      </ol>
      <More of={listing} />
    </Stack>
  );
}

const idOf = ({ application_id }: Application) => application_id;
