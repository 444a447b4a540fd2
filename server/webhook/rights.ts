import type { Kysely, Transaction } from 'kysely';
import { answersFor } from '../access/account.ts';
import { type Admission, readmit } from '../access/admission.ts';
import { type Caller, findCaller } from '../access/caller.queries.ts';
import { isGuest, isSuperuser } from '../access/clearance-levels.ts';
import type { Database } from '../database/tables.ts';
import type { Reader } from '../event/read.queries.ts';
import { feedReader, viewerOf } from '../event/reader.ts';
import type { Viewer } from '../event/show.ts';
import { notFound } from '../shared/domain-error.ts';
import { findLevel, type LockedWebhook, lockWebhook, type Owner, type Reach } from './webhook.queries.ts';

/** Level 10 reaches all webhooks, except with a dynamic token, because others than its owner hold that (D93). */
export function reachOf({ token_type, level, app_token }: Caller): Reach {
  return isSuperuser(level) && token_type !== 'dyn' ? 'all' : { app_token };
}

/**
 * Locks the webhook that a write changes, if the caller reaches it with its present rights.
 *
 * @throws DomainError 404 otherwise
 */
export async function lockReached(
  tx: Transaction<Database>,
  admission: Admission,
  webhookId: string,
): Promise<{ readonly caller: Caller; readonly webhook: LockedWebhook }> {
  const caller = await readmit(tx, admission);
  const webhook = await lockWebhook(tx, webhookId, reachOf(caller));
  if (webhook === undefined) throw notFound('webhook', webhookId);
  return { caller, webhook };
}

/** The owner of a webhook that the caller creates: its application or, with a user token, the user (or sponsor). */
export function ownerFor(caller: Caller): Owner {
  return caller.token_type === 'use'
    ? { app_token: null, owner_id: answersFor(caller) }
    : { app_token: caller.app_token, owner_id: null };
}

/** Which events a webhook may deliver, and as whom its owner sees them. */
export interface Rights {
  readonly reader: Reader;
  readonly viewer: Viewer;
  /** The level that counts for the owner. */
  readonly level: number;
}

/** A dynamic token sees events as no user at all, so that nothing is shown to it that only the user itself may see. */
const NOBODY: Viewer = { characterId: -1, administrator: false };

/**
 * The present rights of a webhook's owner, the same as for `GET /event`; undefined when it may see nothing any more. A
 * dynamic token may not call that operation: it gets the events that it and the user tokens made with it caused, and of
 * users the actor alone, whose user token the application holds anyway.
 */
export async function rightsOf(
  db: Kysely<Database>,
  { app_token, owner_id }: Owner,
): Promise<Rights | undefined> {
  if (owner_id !== null) {
    const level = await findLevel(db, owner_id);
    if (level === undefined || !isSuperuser(level)) return undefined;
    return { reader: 'all', viewer: { characterId: owner_id, administrator: true }, level };
  }
  const app = app_token === null ? undefined : await findCaller(db, app_token);
  if (app === undefined || !app.may_log_in || isGuest(app.level)) return undefined;
  const { level } = app;
  return app.token_type === 'dyn'
    ? { reader: { app_token: app.uuid }, viewer: NOBODY, level }
    : { reader: feedReader(app), viewer: viewerOf(app), level };
}

/**
 * What a claim of deliveries rests on, as a text to compare: the rights of the owner, and the webhook as requests have
 * left it. A new URL, a new secret and a replay all change `updated_on`; failures, pauses and progress do not.
 */
export function versionOf({ url, updated_on }: LockedWebhook, rights: Rights | undefined): string {
  return JSON.stringify([url, updated_on, rights]);
}
