import type { NewWebhook, Webhook } from '@castellan/sdk';
import { Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { castellan, forget, queries } from '../../session/api.ts';
import { t } from '../../text/text.ts';
import { SecretOf } from './shown-once.tsx';
import { WebhookCard } from './webhook-card.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';

/** The webhooks; disabled ones first. */
export function Webhooks() {
  const { data: webhooks } = useSuspenseQuery(queries.webhook.list());
  const [made, setMade] = useState<NewWebhook>();
  const [renewed, setRenewed] = useState<{ readonly id: string; readonly secret: string }>();
  const ordered = webhooks.toSorted((a, b) => Number(a.enabled) - Number(b.enabled));
  return (
    <>
      <Text>{t('Events are posted to a webhook as they happen, signed with its secret.')}</Text>
      <div>
        <WebhookDialog
          label={t('New webhook')}
          save={async (body) => {
            setMade(await castellan.webhook.create({ body }));
            await forget('webhook');
          }}
        />
      </div>
      {made !== undefined && <SecretOf name={made.url} text={made.secret} />}
      {ordered.length === 0 ? (
        <Text>{t('There is no webhook yet.')}</Text>
      ) : (
        <div className="grid">
          {ordered.map((webhook: Webhook) => (
            <WebhookCard
              key={webhook.webhook_id}
              webhook={webhook}
              secret={renewed?.id === webhook.webhook_id ? renewed.secret : undefined}
              onSecret={(secret) => {
                setMade(undefined);
                setRenewed({ id: webhook.webhook_id, secret });
              }}
            />
          ))}
        </div>
      )}
    </>
  );
}
