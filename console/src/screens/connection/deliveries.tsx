import type { WebhookDelivery } from '@castellan/sdk';
import { Badge, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { castellan, forget, reader } from '../../session/api.ts';
import { wordsOf } from '../../shared/events/words.ts';
import { listingOf, useListing } from '../../shared/listing.ts';
import { Moment } from '../../shared/moment.tsx';
import { More } from '../../shared/more.tsx';
import { Problem } from '../../shared/problem.tsx';
import { Changing } from '../../shared/screen.tsx';
import { count, t } from '../../text/text.ts';
import { answerInWords, stateInWords } from './webhook-words.ts';

const STRETCH = 20;
/** Milliseconds after which a delivery that is due is looked at again, as no event tells its result. */
const LOOK_AGAIN = 2_000;
/**
 * Milliseconds before its next try from which on a delivery counts as due: more than the minute to which the service sets
 * the next try of what it is delivering.
 */
const SOON = 70_000;
const STATES = ['waiting', 'failed', 'delivered'] as const;

/** The deliveries of a webhook with their results, latest first. */
export function Deliveries({ webhookId, enabled }: Pick<ListedProps, 'webhookId' | 'enabled'>) {
  const [state, setState] = useState('all');
  return (
    <Stack gap="sm" mt="sm" align="flex-start">
      <SegmentedControl
        size="xs"
        aria-label={t('Show')}
        value={state}
        onChange={setState}
        data={[
          { value: 'all', label: t('All') },
          ...STATES.map((each) => ({ value: each, label: stateInWords(each) })),
        ]}
      />
      <Changing to={state}>
        {(shown) => {
          const wanted = STATES.find((each) => each === shown);
          return (
            <Listed
              webhookId={webhookId}
              enabled={enabled}
              {...(wanted !== undefined && { state: wanted })}
            />
          );
        }}
      </Changing>
    </Stack>
  );
}

interface ListedProps {
  readonly webhookId: string;
  /** Of a disabled webhook nothing but tests is delivered. */
  readonly enabled: boolean;
  readonly state?: WebhookDelivery['state'];
}

function Listed({ webhookId, enabled, state }: ListedProps) {
  const params = { webhook_id: webhookId };
  const deliveries = useListing(
    listingOf(
      ['webhook', `deliveries of ${webhookId}`],
      (request) => reader.webhook.listDeliveries.answer({ params, ...request }),
      { limit: STRETCH, ...(state !== undefined && { state }) },
    ),
  );
  const isDue = deliveries.entries.some(
    (delivery) => isUnderWay(delivery, enabled) && Date.parse(delivery.next_try_on) < Date.now() + SOON,
  );
  useEffect(() => {
    if (!isDue) return;
    // With what the webhooks' cards count.
    const timer = setInterval(() => void forget('webhook'), LOOK_AGAIN);
    return () => clearInterval(timer);
  }, [isDue]);
  if (deliveries.entries.length === 0) return <Text role="status">{t('None.')}</Text>;
  return (
    <Stack gap="xs" align="stretch" w="100%">
      <ul className="rows">
        {deliveries.entries.map((delivery) => (
          <li key={delivery.delivery_id} className="row wrapping">
            <Delivery webhookId={webhookId} enabled={enabled} delivery={delivery} />
          </li>
        ))}
      </ul>
      <More of={deliveries} />
    </Stack>
  );
}

/** Whether a delivery is tried without anybody's help: of a disabled webhook, tests alone are. */
function isUnderWay(
  delivery: WebhookDelivery,
  enabled: boolean,
): delivery is WebhookDelivery & { next_try_on: string } {
  return delivery.next_try_on !== null && (enabled || delivery.position === null);
}

interface DeliveryProps extends Pick<ListedProps, 'webhookId' | 'enabled'> {
  readonly delivery: WebhookDelivery;
}

function Delivery({ webhookId, enabled, delivery }: DeliveryProps) {
  const { delivery_id, type, state, tries, created_on, next_try_on } = delivery;
  const retrying = useMutation({
    mutationFn: () => castellan.webhook.retry({ params: { webhook_id: webhookId, delivery_id } }),
    onSettled: () => forget('webhook'),
  });
  return (
    <>
      <Stack gap={2}>
        <Group gap="xs">
          <Text span fw={600}>
            {wordsOf(type)}
          </Text>
          <Badge variant="default" tt="none">
            {stateInWords(state)}
          </Badge>
        </Group>
        <Text size="sm" c="dimmed">
          <Moment at={created_on} />
        </Text>
        <Text size="sm">
          {count(tries, '{n} try', '{n} tries')}, {answerInWords(delivery)}
          {isUnderWay(delivery, enabled) ? (
            <>
              ; {t('next')} <Moment at={delivery.next_try_on} />
            </>
          ) : (
            next_try_on !== null && `; ${t('next once the webhook is enabled')}`
          )}
        </Text>
        <Problem error={retrying.error} />
      </Stack>
      <Button
        size="xs"
        variant="default"
        loading={retrying.isPending}
        aria-label={t('Try again: {id}', { id: delivery_id })}
        onClick={() => retrying.mutate()}
      >
        {t('Try again')}
      </Button>
    </>
  );
}
