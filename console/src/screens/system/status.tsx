import type { Finding } from '@castellan/sdk';
import { Alert, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { queries } from '../../session/api.ts';
import { Moment } from '../../shared/moment.tsx';
import { Problem } from '../../shared/problem.tsx';
import { formatNumber, t } from '../../text/text.ts';

const STATES = { good: 'Good', mind: 'To be minded', bad: 'Bad' } as const satisfies Record<
  Finding['state'],
  string
>;
const WORST_FIRST = ['bad', 'mind', 'good'] as const;

/** Polling interval, because there are no events for what is found, and none at all while the service is in trouble. */
const LOOK_AGAIN = 10_000;

/** The state of the service: findings, worst first, with advice. */
export function Status() {
  const { data: status, error } = useSuspenseQuery({
    ...queries.system.status(),
    refetchInterval: LOOK_AGAIN,
  });
  const findings = status.findings.toSorted(
    (a, b) => WORST_FIRST.indexOf(a.state) - WORST_FIRST.indexOf(b.state),
  );
  return (
    <>
      <Problem error={error} />
      <div className="grid">
        {findings.map((finding) => (
          <Alert
            key={`${finding.about} ${finding.says}`}
            variant="default"
            title={`${t(STATES[finding.state])}: ${finding.about}`}
          >
            <Stack gap={4}>
              <Text size="sm">{finding.says}</Text>
              {finding.advice !== null && (
                <Text size="sm" fw={600}>
                  {finding.advice}
                </Text>
              )}
            </Stack>
          </Alert>
        ))}
      </div>
      <dl className="facts">
        <dt>{t('As of')}</dt>
        <dd>
          <Moment at={status.as_of} />
        </dd>
        <dt>{t('Version')}</dt>
        <dd>{status.version}</dd>
        <dt>{t('Started')}</dt>
        <dd>
          <Moment at={status.started_on} />
        </dd>
        <dt>{t('Members, guests')}</dt>
        <dd>
          {formatNumber(status.users.members)}, {formatNumber(status.users.guests)}
        </dd>
        <dt>{t('Tokens that work, do not')}</dt>
        <dd>
          {formatNumber(status.refresh_tokens.valid)}, {formatNumber(status.refresh_tokens.invalid)}
        </dd>
        <dt>{t('Compared with the game')}</dt>
        <dd>{status.synced_on === null ? t('Not yet') : <Moment at={status.synced_on} />}</dd>
        <dt>{t('Crash reports of a day')}</dt>
        <dd>{formatNumber(status.crash_reports)}</dd>
      </dl>
    </>
  );
}
