import type { Generated, GeneratedAlways } from 'kysely';

/** Append-only: rows are never changed. */
export interface EventTable {
  kept: 'short' | 'long';
  event_id: string;
  type: string;
  actor_id: number | null;
  on_behalf_of: number | null;
  concerns: number[];
  targets: string[];
  hides_actor: boolean | null;
  body: string;
}

export interface EventSealTable {
  position: number;
  event_id: string;
  digest: Buffer;
  hash: Buffer;
}

export interface UnsealedEventTable {
  born: GeneratedAlways<number>;
  event_id: string;
  digest: Buffer;
}

export interface WebhookTable {
  webhook_id: string;
  app_token: string | null;
  owner_id: number | null;
  url: string;
  types: string[];
  group_ids: string[] | null;
  ordered: boolean;
  secret: Buffer;
  former_secret: Buffer | null;
  former_until: Date | null;
  position: number;
  disabled_on: Date | null;
  disabled_because: 'asked' | 'gone' | 'undeliverable' | 'not_allowed' | null;
  failures: Generated<number>;
  paused_until: Date | null;
  created_on: Generated<Date>;
  updated_on: Generated<Date>;
}

export interface WebhookDeliveryTable {
  webhook_id: string;
  delivery_id: string;
  type: string;
  position: number | null;
  state: 'waiting' | 'delivered' | 'failed';
  tries: Generated<number>;
  next_try_on: Date | null;
  claimed_until: Generated<Date | null>;
  tried_on: Date | null;
  status: number | null;
  fault: string | null;
  created_on: Generated<Date>;
}
