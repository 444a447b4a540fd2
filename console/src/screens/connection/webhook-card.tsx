import type { Webhook } from '@castellan/sdk';
import { Alert, Badge, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries } from '../../session/api.ts';
import { Character } from '../../shared/character.tsx';
import { Moment } from '../../shared/moment.tsx';
import { Name } from '../../shared/name.tsx';
import { Part } from '../../shared/screen.tsx';
import { formatNumber, t } from '../../text/text.ts';
import { Deliveries } from './deliveries.tsx';
import { SecretOf } from './shown-once.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { reasonInWords } from './webhook-words.ts';

interface WebhookCardProps {
  readonly webhook: Webhook;
  /** The secret that was renewed last, if it is this webhook's. */
  readonly secret: string | undefined;
  readonly onSecret: (secret: string) => void;
}

export function WebhookCard({ webhook, secret, onSecret }: WebhookCardProps) {
  const [open, setOpen] = useState(false);
  return (
    <section className="card" aria-label={webhook.url}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <Title order={2} size="h5">
            <Name of={webhook.url} />
          </Title>
          {webhook.ordered && (
            <Badge variant="default" tt="none">
              {t('In order')}
            </Badge>
          )}
        </Group>
        {!webhook.enabled && <Disabled webhook={webhook} />}
        <Facts webhook={webhook} />
        {secret !== undefined && <SecretOf name={webhook.url} text={secret} />}
        <WebhookActions webhook={webhook} onSecret={onSecret} />
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{t('Deliveries to {url}', { url: webhook.url })}</summary>
          <Part rows={3}>
            {open && <Deliveries webhookId={webhook.webhook_id} enabled={webhook.enabled} />}
          </Part>
        </details>
      </Stack>
    </section>
  );
}

/** Why nothing is delivered; red, unless somebody disabled the webhook by hand. */
function Disabled({ webhook: { disabled_because, disabled_on } }: { readonly webhook: Webhook }) {
  const looks = disabled_because === 'asked' ? { variant: 'default' } : { variant: 'light', color: 'red' };
  return (
    <Alert {...looks} title={t('Nothing is delivered')}>
      {reasonInWords(disabled_because)}{' '}
      {disabled_on !== null && (
        <>
          {t('Since')} <Moment at={disabled_on} />
        </>
      )}
    </Alert>
  );
}

function Facts({ webhook }: { readonly webhook: Webhook }) {
  const { types, group_ids, waiting, failures, position, app_token, owner_id } = webhook;
  return (
    <dl className="facts">
      <dt>{t('Events')}</dt>
      <dd>
        <Group gap={6}>
          {types.map((type) => (
            <Code key={type}>{type}</Code>
          ))}
        </Group>
      </dd>
      {group_ids !== null && (
        <>
          <dt>{t('Of groups')}</dt>
          <dd>
            <GroupNames ids={group_ids} />
          </dd>
        </>
      )}
      <dt>{t('Belongs to')}</dt>
      <dd>{owner_id === null ? <Code>{app_token}</Code> : <Character id={owner_id} />}</dd>
      <dt>{t('Waiting')}</dt>
      <dd>
        {formatNumber(waiting)}
        {failures > 0 && (
          <Text span c="var(--mantine-color-error)">
            {' '}
            {t('({n} tries failed in a row)', { n: formatNumber(failures) })}
          </Text>
        )}
      </dd>
      <dt>{t('Taken up to')}</dt>
      <dd>{t('event {position}', { position })}</dd>
    </dl>
  );
}

function GroupNames({ ids }: { readonly ids: readonly string[] }) {
  const { data: groups } = useSuspenseQuery(queries.group.list());
  const nameOf = (id: string) => groups.find(({ group_id }) => group_id === id)?.group_name ?? id;
  return <Name of={ids.map(nameOf).join(', ')} />;
}
