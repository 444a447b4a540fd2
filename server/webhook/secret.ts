import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const BYTES = 32;

/** A new random secret in the format of Standard Webhooks 1.0. */
export function newSecret(): string {
  return PREFIX + randomBytes(BYTES).toString('base64');
}

/**
 * What a webhook's encrypted secret is bound to: the same for the former and the present one, as one becomes the other.
 */
export function secretBinding(webhookId: string): string {
  return `webhooks.secret ${webhookId}`;
}

interface Message {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** The header `webhook-signature` of Standard Webhooks 1.0, with one signature for each valid secret. */
export function signaturesOf(secrets: readonly string[], { id, timestamp, body }: Message): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}
