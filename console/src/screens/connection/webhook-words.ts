import type { DisabledReason, WebhookDelivery } from '@castellan/sdk';
import { t } from '../../text/text.ts';

const REASONS: Readonly<Record<DisabledReason, string>> = {
  asked: 'Somebody turned it off.',
  gone: 'The receiver answered 410: it is gone.',
  undeliverable: 'A delivery failed at its last try.',
  not_allowed: 'Its application or owner may not have it any more.',
};

/** Describes why a webhook is disabled. */
export function reasonInWords(reason: DisabledReason | null): string {
  return t(reason === null ? 'It is not said why.' : REASONS[reason]);
}

const STATES: Readonly<Record<WebhookDelivery['state'], string>> = {
  waiting: 'Waiting',
  delivered: 'Delivered',
  failed: 'Failed',
};

export function stateInWords(state: WebhookDelivery['state']): string {
  return t(STATES[state]);
}

/** Describes the receiver's answer to the last try. */
export function answerInWords({ status, fault, tries }: WebhookDelivery): string {
  if (tries === 0) return t('not tried yet');
  return status === null ? (fault ?? t('no answer')) : t('answered {status}', { status });
}
