import type { HeldChange } from '@castellan/sdk';
import { Alert, Stack, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { castellan, forget, queries } from '../../session/api.ts';
import { useLevel } from '../../session/me.ts';
import { Confirm } from '../../shared/confirm.tsx';
import { Moment } from '../../shared/moment.tsx';
import { notify } from '../../shared/notices.tsx';
import { Problem } from '../../shared/problem.tsx';
import { count, formatNumber, t } from '../../text/text.ts';
import { HeldDetails } from './held-details.tsx';

const SUPERUSER = 10;
/** Polling interval, because there is no event for a change that was let through. */
const LOOK_AGAIN = 10_000;

/** The runs that the mass-change guard holds back, to be examined and approved (D63). */
export function Held() {
  const { data: held, error } = useSuspenseQuery({ ...queries.system.held(), refetchInterval: LOOK_AGAIN });
  return (
    <Stack gap="lg">
      <Problem error={error} />
      <Text>
        {t(
          'A run that would take something from many people at once changes nothing: mostly it is the game that errs. What is right after all, can be let through.',
        )}
      </Text>
      {held.length === 0 ? (
        <Alert variant="default" title={t('Nothing is held back')}>
          {t('Every run may do what it finds.')}
        </Alert>
      ) : (
        held.map((change) => <HeldCard key={change.held_id} change={change} />)
      )}
    </Stack>
  );
}

function HeldCard({ change }: { readonly change: HeldChange }) {
  const { losers, looked_at } = change;
  const title = t('{people} of {all} would lose something', {
    people: formatNumber(losers),
    all: formatNumber(looked_at),
  });
  return (
    <section className="card" aria-label={title}>
      <Stack>
        <Title order={2} size="h4">
          {title}
        </Title>
        <Facts change={change} />
        {/* Before the list, so that keyboard users need not pass all of its rows. */}
        <Decision change={change} />
        <HeldDetails change={change} />
      </Stack>
    </section>
  );
}

function Facts({ change }: { readonly change: HeldChange }) {
  const { job_id, found, needed, first_found_on, found_on, passes_on } = change;
  return (
    <dl className="facts">
      <dt>{t('Job')}</dt>
      <dd>{job_id}</dd>
      <dt>{t('First found')}</dt>
      <dd>
        <Moment at={first_found_on} />
      </dd>
      <dt>{t('Found again')}</dt>
      <dd>
        {t('{n} of {needed} times', { n: found, needed })}
        {found > 1 && (
          <>
            , {t('lately')} <Moment at={found_on} />
          </>
        )}
      </dd>
      <dt>{t('Passes by itself')}</dt>
      <dd>
        {passes_on === null ? (
          t('Not by itself: no run is scheduled.')
        ) : (
          <>
            {t('about')} <Moment at={passes_on} />
          </>
        )}
      </dd>
    </dl>
  );
}

function Decision({ change: { held_id, job_id, losers } }: { readonly change: HeldChange }) {
  const isSuperuser = useLevel(SUPERUSER);
  const approve = async () => {
    await castellan.system.runJob({ params: { job_id }, query: { approve: held_id } });
    notify(t('A run begins that may change exactly this.'));
    await forget('system');
  };
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm" c="dimmed">
        {t('To wait is to do nothing: it passes if every run finds the same, and is gone if the game erred.')}
      </Text>
      {isSuperuser ? (
        <Confirm
          label={t('Let it through')}
          question={t(
            '{people} lose what is shown. Should the run find anything else, that is held back once more.',
            { people: count(losers, '{n} person', '{n} people') },
          )}
          act={approve}
        />
      ) : (
        <Text size="sm">{t('Level 10 can let it through at once.')}</Text>
      )}
    </Stack>
  );
}
