import type { Job } from '@castellan/sdk';
import { Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { castellan, forget, queries } from '../../session/api.ts';
import { Confirm } from '../../shared/confirm.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { Moment } from '../../shared/moment.tsx';
import { notify } from '../../shared/notices.tsx';
import { Problem } from '../../shared/problem.tsx';
import { count, t } from '../../text/text.ts';

/** Polling interval, because there is no event for a job's next run. */
const LOOK_AGAIN = 10_000;

/** The scheduled jobs with their next run, and buttons for a dry run and a run now. */
export function Jobs() {
  const { data: jobs, error } = useSuspenseQuery({ ...queries.system.jobs(), refetchInterval: LOOK_AGAIN });
  return (
    <>
      <Problem error={error} />
      <div className="grid">
        {jobs.map((job) => (
          <JobCard key={job.job_id} job={job} />
        ))}
      </div>
    </>
  );
}

function JobCard({ job }: { readonly job: Job }) {
  const params = { job_id: job.job_id };
  const [open, setOpen] = useState(false);
  const trying = useMutation({
    mutationFn: () => castellan.system.runJob({ params, query: { dry_run: true } }),
    onSuccess: () => setOpen(true),
  });
  const running = useMutation({
    mutationFn: (force: boolean) => castellan.system.runJob({ params, query: { force } }),
    onSuccess: async () => {
      notify(t('{job} begins.', { job: job.name }));
      setOpen(false);
      await forget('system');
    },
  });
  const changes = trying.data !== undefined && 'changes' in trying.data ? trying.data.changes : [];
  return (
    <section className="card" aria-label={job.name}>
      <Stack gap="xs">
        <Title order={2} size="h5">
          {job.name}
        </Title>
        <dl className="facts">
          <dt>{t('Schedule')}</dt>
          <dd>{job.trigger === null ? t('When asked to') : <Code>{job.trigger}</Code>}</dd>
          {job.next_run_time !== null && (
            <>
              <dt>{t('Next')}</dt>
              <dd>
                <Moment at={job.next_run_time} />
              </dd>
            </>
          )}
        </dl>
        <Problem error={trying.error ?? (open ? null : running.error)} />
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            loading={trying.isPending}
            aria-label={t('What would it change? {job}', { job: job.name })}
            onClick={() => {
              running.reset();
              trying.mutate();
            }}
          >
            {t('What would it change?')}
          </Button>
          <Button
            size="xs"
            loading={running.isPending}
            aria-label={t('Run now: {job}', { job: job.name })}
            onClick={() => {
              trying.reset();
              running.mutate(false);
            }}
          >
            {t('Run now')}
          </Button>
        </Group>
      </Stack>
      <Dialog
        opened={open}
        onClose={() => setOpen(false)}
        title={t('What {job} would change', { job: job.name })}
        size="lg"
      >
        <Stack>
          <Text>{count(changes.length, '{n} change', '{n} changes')}</Text>
          <Changes of={changes} />
          <Problem error={running.error} />
          <Group justify="flex-end">
            <Confirm
              label={t('Let it through')}
              question={t(
                'The guard against mass changes holds nothing back in this run. Look at the changes first.',
              )}
              act={() => running.mutateAsync(true)}
            />
            <Button loading={running.isPending} onClick={() => running.mutate(false)}>
              {t('Run now')}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </section>
  );
}

const SHOWN = 200;

function Changes({ of }: { readonly of: readonly Readonly<Record<string, unknown>>[] }) {
  if (of.length === 0) return <Text>{t('Nothing: a run would leave everything as it is.')}</Text>;
  return (
    <Stack gap="xs">
      <ul className="rows">
        {of.slice(0, SHOWN).map((change) => {
          const text = JSON.stringify(change);
          return (
            <li key={text}>
              <dl className="facts">
                {Object.entries(change).map(([name, value]) => (
                  <Entry key={name} name={name} value={value} />
                ))}
              </dl>
            </li>
          );
        })}
      </ul>
      {of.length > SHOWN && <Text>{t('and {n} more', { n: of.length - SHOWN })}</Text>}
    </Stack>
  );
}

function Entry({ name, value }: { readonly name: string; readonly value: unknown }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <bdi>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</bdi>
      </dd>
    </>
  );
}
