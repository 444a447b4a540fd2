import type { Transaction } from 'kysely';
import { type Event, typesNamed } from '../../contract/event.ts';
import { sharedTime } from '../database/clock.queries.ts';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';
import { readEvents, readFeed } from '../event/read.queries.ts';
import { shown } from '../event/show.ts';
import type { Vault } from '../keys/vault.ts';
import type { Services } from '../services/services.ts';
import { chunksOf } from '../shared/chunks.ts';
import {
  CLAIMED_FOR,
  type Claimed,
  claimDue,
  FAILING,
  hasInHand,
  hasWaiting,
  insertInHand,
  withhold,
} from './delivery.queries.ts';
import { disable } from './disable.ts';
import { type Rights, rightsOf, versionOf } from './rights.ts';
import { secretBinding } from './secret.ts';
import { type LockedWebhook, lockFreeWebhook, setWebhook } from './webhook.queries.ts';

/**
 * Claimed events that are read at once. Nothing bounds their size together but this: with the longest texts that people
 * can write they are some 2 MiB.
 */
const READ_AT_ONCE = 32;
/** Maximum number of positions examined for events that a webhook wants. */
const MOST_LOOKED_AT = 2000;

/** Where deliveries go, and how they are signed. */
export interface Destination {
  readonly url: string;
  readonly ordered: boolean;
  readonly secrets: readonly string[];
}

/** A claimed delivery, ready to be sent. */
export interface Parcel extends Pick<Claimed, 'delivery_id' | 'position' | 'tries' | 'claimed_until'> {
  readonly body: string;
}

export interface Taken {
  readonly to: Destination;
  readonly parcels: readonly Parcel[];
  /** What the claim rests on: once `settle` returns another one, they are not to be sent any more. */
  readonly version: string;
  readonly failures: number;
  /** Whether there may be more deliveries to claim. */
  readonly more: boolean;
}

/**
 * Claims up to `room` deliveries of a webhook in one transaction: first those that are due, then new ones for the
 * events after its position that its owner may see at present. Deliveries are created only when there is room, so a
 * slow receiver piles up no rows. A failing receiver gets one, and none while any process has others for it. Undefined
 * when the webhook is deleted, or this process cannot sign for it.
 *
 * @throws WebhookLocked when somebody else has locked the webhook
 */
export async function take(
  { db, clock, vault, log }: Pick<Services, 'db' | 'clock' | 'vault' | 'log'>,
  webhookId: string,
  room: number,
): Promise<Taken | undefined> {
  return inTransaction(db, async (tx) => {
    const webhook = await lockFreeWebhook(tx, webhookId);
    if (webhook === undefined) return undefined;
    const now = await sharedTime(tx, clock);
    const times = { now, until: new Date(now.getTime() + CLAIMED_FOR) };
    // Encrypted anew with a key that this process lacks, since it looked for work: left to processes that can sign.
    if (!vault.canDecrypt(webhook.secret, secretBinding(webhookId))) return undefined;
    const rights = webhook.disabled_on === null ? await rightsOf(tx, webhook) : undefined;
    if (webhook.disabled_on === null && rights === undefined) {
      await disable(tx, { log }, webhook, 'not_allowed', now);
    }
    const flowing = rights !== undefined && (webhook.paused_until ?? now) <= now;
    const most = await mostFor(tx, webhook, room, now);
    const claimed = await claimDue(tx, webhook, { ...times, most, testsAlone: !flowing });
    const due = await toParcels(tx, webhook, rights, claimed, now);
    const fresh =
      flowing && most > claimed.length && !(webhook.ordered && (await hasWaiting(tx, webhookId)))
        ? await takeUp(tx, webhook, rights, { ...times, most: most - claimed.length })
        : { parcels: [], more: false };
    const parcels = [...due, ...fresh.parcels];
    const version = versionOf(webhook, rights);
    const more = fresh.more || claimed.length > 0;
    return { to: destinationOf(webhook, vault, now), parcels, version, failures: webhook.failures, more };
  });
}

/** One at a time for a failing receiver, whichever process sends it; else as many as there is room for. */
async function mostFor(
  tx: Transaction<Database>,
  { webhook_id, failures }: LockedWebhook,
  room: number,
  now: Date,
): Promise<number> {
  if (failures < FAILING) return room;
  return (await hasInHand(tx, webhook_id, now)) ? 0 : 1;
}

/** Writes the bodies of claimed deliveries anew; those whose event the owner may not see any more end here. */
async function toParcels(
  tx: Transaction<Database>,
  { webhook_id }: LockedWebhook,
  rights: Rights | undefined,
  claimed: readonly Claimed[],
  now: Date,
): Promise<Parcel[]> {
  const ids = claimed.filter(({ position }) => position !== null).map(({ delivery_id }) => delivery_id);
  const events = new Map<string, string>();
  if (rights !== undefined) {
    for (const some of chunksOf(ids, READ_AT_ONCE)) {
      for (const stored of await readEvents(tx, rights.reader, some)) {
        const event = shown(stored, rights.viewer);
        events.set(event.event_id, bodyOf(event));
      }
    }
  }
  const withheld = ids.filter((id) => !events.has(id));
  await withhold(tx, webhook_id, withheld, now);
  return claimed.flatMap(({ delivery_id, position, tries, claimed_until, type, created_on }) => {
    const test = { type, timestamp: created_on.toISOString(), data: { webhook_id } };
    const body = position === null ? JSON.stringify(test) : events.get(delivery_id);
    return body === undefined ? [] : [{ delivery_id, position, tries, claimed_until, body }];
  });
}

/** Creates claimed deliveries for the events after the webhook's position, and moves the position on. */
async function takeUp(
  tx: Transaction<Database>,
  { webhook_id, position: after, types, group_ids }: LockedWebhook,
  { reader, viewer }: Rights,
  { now, until, most }: { readonly now: Date; readonly until: Date; readonly most: number },
): Promise<{ readonly parcels: Parcel[]; readonly more: boolean }> {
  const wanted = types.includes('*') ? undefined : typesNamed(types);
  const question = { after, types: wanted, limit: most, most: MOST_LOOKED_AT };
  const { events: stored, looked, head } = await readFeed(tx, reader, question);
  const last = stored.length < most ? undefined : stored.at(-1)?.position;
  const position = last ?? looked ?? after;
  const events = stored.map((event) => shown(event, viewer)).filter((event) => concerns(event, group_ids));
  const rows = events.map(({ event_id, type, position }) => ({ delivery_id: event_id, type, position }));
  await insertInHand(tx, webhook_id, rows, { now, until });
  if (position !== after) await setWebhook(tx, webhook_id, { position });
  const parcels = events.map((event) => ({
    delivery_id: event.event_id,
    position: event.position,
    tries: 0,
    claimed_until: until,
    body: bodyOf(event),
  }));
  return { parcels, more: position < head };
}

/** Whether the webhook's list of groups admits the event: events about groups must be about one of these. */
function concerns({ targets }: Event, groupIds: readonly string[] | null): boolean {
  const groups = targets.filter(({ type }) => type === 'group');
  return groupIds === null || groups.length === 0 || groups.some(({ id }) => groupIds.includes(id));
}

/** The request's body, in the form of Standard Webhooks 1.0. */
function bodyOf(event: Event): string {
  return JSON.stringify({ type: event.type, timestamp: event.occurred_on, data: event });
}

/**
 * Where to send, and the secrets to sign with: the present one and, until it expires, the former one if it can be
 * decrypted.
 */
function destinationOf(webhook: LockedWebhook, vault: Vault, now: Date): Destination {
  const { webhook_id, url, ordered, secret, former_secret, former_until } = webhook;
  const binding = secretBinding(webhook_id);
  const former =
    former_secret !== null && (former_until ?? now) > now && vault.canDecrypt(former_secret, binding);
  const encrypted = former ? [secret, former_secret] : [secret];
  return { url, ordered, secrets: encrypted.map((one) => vault.decrypt(one, binding)) };
}
