import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const BYTES = 32;

/** A secret as Standard Webhooks 1.0 writes them. */
export function newSecret(): string {
  return PREFIX + randomBytes(BYTES).toString('base64');
}

/** Where a secret is stored, the former one too: it moves from one column to the other. */
export function secretPlace(webhookId: string): string {
  return `webhooks.secret ${webhookId}`;
}

interface Message {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** The header `webhook-signature`: one signature for each secret that counts, after Standard Webhooks 1.0. */
export function signaturesOf(secrets: readonly string[], { id, timestamp, body }: Message): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}
