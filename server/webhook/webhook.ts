import {
  FORMER_SECRET_HOURS,
  type NewWebhook,
  type PostWebhook,
  type PutWebhook,
  type Webhook,
  type WebhookSecret,
} from '../../contract/webhook.ts';
import { type Admission, readmit } from '../access/admission.ts';
import type { Caller } from '../access/caller.queries.ts';
import { sharedTime } from '../database/clock.queries.ts';
import { objectId } from '../database/object-id.ts';
import { inTransaction } from '../database/transaction.ts';
import { readPosition } from '../event/read.queries.ts';
import type { Vault } from '../keys/vault.ts';
import { hostOf, requireCallable } from '../outbound/public-address.ts';
import type { Services } from '../services/services.ts';
import { DomainError, invalid, notFound, notFoundAmong } from '../shared/domain-error.ts';
import { deleteWebhook } from './delete-webhooks.queries.ts';
import { renewFailed, renewWaiting } from './delivery.queries.ts';
import { requireQuota } from './quota.ts';
import { recordWebhookCreated, recordWebhookDeleted, recordWebhookUpdated } from './record-changes.ts';
import { lockReached, ownerFor, reachOf } from './rights.ts';
import { newSecret, secretBinding } from './secret.ts';
import {
  countWebhooks,
  findMissingGroups,
  findWebhook,
  insertWebhook,
  type LockedWebhook,
  listWebhooks,
  setWebhook,
  type WebhookRow,
} from './webhook.queries.ts';

/** Maximum number of webhooks of one application, and of one user. */
const MOST = { app: 20, user: 100 };
const HOUR = 3_600_000;

function toWebhook(row: WebhookRow): Webhook {
  const { secret: _, former_secret, former_until, paused_until, ...shown } = row;
  return {
    ...shown,
    enabled: row.disabled_on === null,
    disabled_on: row.disabled_on?.toISOString() ?? null,
    created_on: row.created_on.toISOString(),
    updated_on: row.updated_on.toISOString(),
  };
}

/** The webhooks that the caller may use, oldest first (D93). */
export async function getWebhooks({ db }: Pick<Services, 'db'>, caller: Caller): Promise<Webhook[]> {
  return (await listWebhooks(db, reachOf(caller))).map(toWebhook);
}

/** A webhook; one that the caller may not use is a 404, as if it did not exist. */
export async function getWebhook(
  { db }: Pick<Services, 'db'>,
  caller: Caller,
  webhookId: string,
): Promise<Webhook> {
  const row = await findWebhook(db, webhookId, reachOf(caller));
  if (row === undefined) throw notFound('webhook', webhookId);
  return toWebhook(row);
}

/**
 * Creates a webhook for events from now on. The answer is the only one that contains its secret, which is stored
 * encrypted.
 */
export async function createWebhook(
  services: Pick<Services, 'db' | 'clock' | 'vault' | 'settings'>,
  admission: Admission,
  { url, types, group_ids, ordered }: PostWebhook,
): Promise<NewWebhook> {
  const { db, clock, vault } = services;
  await requireCallable(url, 'url', services.settings.callbackAllowPrivate);
  const now = clock.now();
  const webhook_id = objectId(now);
  const secret = newSecret();
  const webhook = await inTransaction(db, async (tx) => {
    const caller = await readmit(tx, admission);
    const owner = ownerFor(caller);
    const most = owner.app_token === null ? MOST.user : MOST.app;
    if ((await countWebhooks(tx, owner)) >= most) {
      throw new DomainError(
        'too_many_webhooks',
        `There are ${most} webhooks already, and there can be no more.`,
      );
    }
    await requireGroups({ db: tx }, group_ids);
    const values = {
      url,
      types: distinct(types),
      group_ids: toGroupIds(group_ids),
      ordered: ordered ?? false,
      position: await readPosition(tx),
      disabled_because: null,
    };
    await insertWebhook(tx, {
      webhook_id,
      ...owner,
      ...values,
      secret: vault.encrypt(secret, secretBinding(webhook_id)),
      created_on: now,
      updated_on: now,
    });
    await recordWebhookCreated(tx, webhook_id, values, now);
    return getWebhook({ db: tx }, caller, webhook_id);
  });
  return { ...webhook, secret };
}

/** Changes the given fields. A webhook that is enabled again continues where it stopped, with what failed included. */
export async function updateWebhook(
  services: Pick<Services, 'db' | 'clock' | 'settings' | 'vault'>,
  admission: Admission,
  webhookId: string,
  { url, types, group_ids, ordered, enabled }: PutWebhook,
): Promise<Webhook> {
  const { db, clock, vault } = services;
  if (url != null) {
    // The URL's host is looked up in DNS only for callers who may change the webhook.
    await getWebhook({ db }, admission.caller, webhookId);
    await requireCallable(url, 'url', services.settings.callbackAllowPrivate);
  }
  return inTransaction(db, async (tx) => {
    const { caller, webhook: before } = await lockReached(tx, admission, webhookId);
    // Stored ones may have been deleted since: what is shown can be sent back.
    const added = group_ids?.filter((id) => !before.group_ids?.includes(id));
    await requireGroups({ db: tx }, added);
    const now = clock.now();
    const begins = enabled === true && before.disabled_on !== null;
    if (begins && isLost(before, vault)) {
      throw invalid(
        ['body', 'enabled'],
        'The key of its secret is lost: rotate the secret first, which gives it a new one.',
      );
    }
    const ends = enabled === false && before.disabled_on === null;
    const values = {
      url: url ?? before.url,
      types: types == null ? before.types : distinct(types),
      group_ids: group_ids == null ? before.group_ids : toGroupIds(group_ids),
      ordered: ordered ?? before.ordered,
      ...(begins && { disabled_because: null }),
      ...(ends && { disabled_because: 'asked' as const }),
    };
    const elsewhere = values.url !== before.url;
    if (begins || elsewhere) {
      const due = await sharedTime(tx, clock);
      await requireQuota(tx, before, due);
      if (begins) await renewFailed(tx, webhookId, due);
      if (elsewhere) await renewWaiting(tx, webhookId, due);
    }
    // What the former receiver asked for, and how it failed, says nothing of one at another host.
    const anew = begins || hostOf(values.url) !== hostOf(before.url);
    await setWebhook(tx, webhookId, {
      ...values,
      ...(begins && { disabled_on: null }),
      ...(anew && { failures: 0, paused_until: null }),
      ...(ends && { disabled_on: now }),
      updated_on: now,
    });
    const moved = elsewhere && new URL(values.url).origin === new URL(before.url).origin;
    await recordWebhookUpdated(tx, before, values, now, moved ? 'Its URL is another one.' : undefined);
    return getWebhook({ db: tx }, caller, webhookId);
  });
}

export async function removeWebhook(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  admission: Admission,
  webhookId: string,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { webhook } = await lockReached(tx, admission, webhookId);
    await deleteWebhook(tx, webhookId);
    await recordWebhookDeleted(tx, webhook, clock.now());
  });
}

/**
 * Creates a new secret. For a day deliveries are signed with both, so that the receiver can change over without loss.
 */
export async function rotateSecret(
  { db, clock, vault }: Pick<Services, 'db' | 'clock' | 'vault'>,
  admission: Admission,
  webhookId: string,
): Promise<WebhookSecret> {
  const secret = newSecret();
  const now = clock.now();
  const former_until = new Date(now.getTime() + FORMER_SECRET_HOURS * HOUR);
  await inTransaction(db, async (tx) => {
    const { webhook: before } = await lockReached(tx, admission, webhookId);
    await setWebhook(tx, webhookId, {
      secret: vault.encrypt(secret, secretBinding(webhookId)),
      // One that was lost is no secret any more; the start would ask for its key.
      former_secret: isLost(before, vault) ? null : before.secret,
      former_until,
      updated_on: now,
    });
    await recordWebhookUpdated(tx, before, {}, now, 'It has a new secret.');
  });
  return { secret, former_until: former_until.toISOString() };
}

/**
 * Whether the key of the secret is lost, and not just missing in this process: the service disables such a webhook.
 */
function isLost({ webhook_id, secret, disabled_on }: LockedWebhook, vault: Vault): boolean {
  return disabled_on !== null && !vault.canDecrypt(secret, secretBinding(webhook_id));
}

async function requireGroups(
  { db }: Pick<Services, 'db'>,
  groupIds: readonly string[] | null | undefined,
): Promise<void> {
  const missing = await findMissingGroups(db, groupIds ?? []);
  if (missing.length > 0) throw notFoundAmong('group', missing);
}

function toGroupIds(groupIds: readonly string[] | null | undefined): string[] | null {
  return groupIds == null || groupIds.length === 0 ? null : distinct(groupIds);
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}
