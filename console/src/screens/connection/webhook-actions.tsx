import type { Webhook, WebhookDelivery } from '@castellan/sdk';
import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { castellan, forget } from '../../session/api.ts';
import { Confirm } from '../../shared/confirm.tsx';
import { FieldsDialog } from '../../shared/fields-dialog.tsx';
import { notify } from '../../shared/notices.tsx';
import { Problem } from '../../shared/problem.tsx';
import { DIGITS } from '../../text/patterns.ts';
import { t } from '../../text/text.ts';
import { WebhookDialog } from './webhook-dialog.tsx';
import { answerInWords, stateInWords } from './webhook-words.ts';

interface WebhookActionsProps {
  readonly webhook: Webhook;
  readonly onSecret: (secret: string) => void;
}

/** The buttons for a webhook. */
export function WebhookActions({ webhook, onSecret }: WebhookActionsProps) {
  const { url, enabled, position } = webhook;
  const params = { webhook_id: webhook.webhook_id };
  const changing = useMutation({
    mutationFn: (wanted: boolean) => castellan.webhook.update({ params, body: { enabled: wanted } }),
    onSettled: () => forget('webhook'),
  });
  const testing = useMutation({
    mutationFn: async () => outcomeOf(params, await castellan.webhook.test({ params })),
    onSuccess: (sent) =>
      notify(t('{state}: {answer}.', { state: stateInWords(sent.state), answer: answerInWords(sent) })),
    onSettled: () => forget('webhook'),
  });
  return (
    <>
      <Problem error={changing.error ?? testing.error} />
      <Group gap="xs">
        <WebhookDialog
          label={t('Edit')}
          webhook={webhook}
          save={async (_, body) => {
            await castellan.webhook.update({ params, body });
            await forget('webhook');
          }}
        />
        <Button
          size="xs"
          variant={enabled ? 'default' : 'filled'}
          loading={changing.isPending}
          aria-label={enabled ? t('Disable {url}', { url }) : t('Enable {url}', { url })}
          onClick={({ detail: clicks }) => {
            // The second click of a double click would take the first one back.
            if (clicks > 1) return;
            testing.reset();
            changing.mutate(!enabled);
          }}
        >
          {enabled ? t('Disable') : t('Enable')}
        </Button>
        <Button
          size="xs"
          variant="default"
          loading={testing.isPending}
          aria-label={t('Send a test to {url}', { url })}
          onClick={() => {
            changing.reset();
            testing.mutate();
          }}
        >
          {t('Send a test')}
        </Button>
        <FieldsDialog
          size="xs"
          variant="default"
          label={t('Deliver again')}
          fields={[
            {
              name: 'after',
              label: t('After position'),
              description: t('Events after this one are delivered once more, 30 days back at the most.'),
              required: true,
              inputMode: 'numeric',
              // Blanks would be position 0, and everything be delivered again.
              pattern: DIGITS,
              value: String(position),
            },
          ]}
          submit={async ({ after = '' }) => {
            await castellan.webhook.replay({ params, body: { after: Number(after) } });
            notify(
              enabled
                ? t('What came after position {after} is delivered again.', { after })
                : t('What came after position {after} is delivered once the webhook is enabled.', { after }),
            );
            await forget('webhook');
          }}
        />
        <Confirm
          size="xs"
          label={t('Renew secret')}
          question={t('For 24 hours deliveries are signed with the former secret, too.')}
          act={async () => onSecret((await castellan.webhook.rotate({ params })).secret)}
        />
        <Confirm
          size="xs"
          label={t('Delete webhook')}
          question={t('{url} is told of nothing any more; what waits is not delivered.', { url })}
          act={async () => {
            await castellan.webhook.delete({ params });
            await forget('webhook');
          }}
        />
      </Group>
    </>
  );
}

/** Maximum number of requests for the result of a test, and the milliseconds between them. */
const LOOKS = 24;
const PAUSE = 500;

/** The result of a test delivery, or its present state when the receiver takes too long. */
async function outcomeOf(
  params: { readonly webhook_id: string },
  sent: WebhookDelivery,
): Promise<WebhookDelivery> {
  let latest = sent;
  for (let look = 0; look < LOOKS && latest.state === 'waiting'; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    const deliveries = await castellan.webhook.listDeliveries({ params, query: { limit: 20 } });
    latest = deliveries.find(({ delivery_id }) => delivery_id === sent.delivery_id) ?? latest;
  }
  return latest;
}
