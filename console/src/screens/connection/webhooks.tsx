import type { Webhook } from '@castellan/sdk';
import { Alert, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { castellan, forget, queries } from '../../session/api.ts';
import { Copyable } from '../../shared/copyable.tsx';
import { t } from '../../text/text.ts';
import { WebhookCard } from './webhook-card.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';

/** The webhooks; disabled ones first. */
export function Webhooks() {
  const { data: webhooks } = useSuspenseQuery(queries.webhook.list());
  const [secret, setSecret] = useState<string>();
  const ordered = webhooks.toSorted((a, b) => Number(a.enabled) - Number(b.enabled));
  return (
    <>
      <Text>{t('Events are posted to a webhook as they happen, signed with its secret.')}</Text>
      <div>
        <WebhookDialog
          label={t('New webhook')}
          save={async (body) => {
            setSecret((await castellan.webhook.create({ body })).secret);
            await forget('webhook');
          }}
        />
      </div>
      {secret !== undefined && (
        <Alert variant="default" title={t('The secret')} role="status">
          <Stack gap="xs">
            <Text>{t('It is shown this once: hand it to the receiver now.')}</Text>
            <Copyable text={secret} label={t('the secret')} />
          </Stack>
        </Alert>
      )}
      {ordered.length === 0 ? (
        <Text>{t('There is no webhook yet.')}</Text>
      ) : (
        <div className="grid">
          {ordered.map((webhook: Webhook) => (
            <WebhookCard key={webhook.webhook_id} webhook={webhook} onSecret={setSecret} />
          ))}
        </div>
      )}
    </>
  );
}
