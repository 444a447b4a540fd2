import type { Kysely } from 'kysely';
import { type Caller, findCaller } from '../access/caller.queries.ts';
import { isGuest, isSuperuser } from '../access/clearance-levels.ts';
import type { Database } from '../database/tables.ts';
import type { Reader } from '../event/read.queries.ts';
import { beholderOf, feedReader } from '../event/reader.ts';
import type { Beholder } from '../event/show.ts';
import { findLevel, type Owner, type Reach } from './webhook.queries.ts';

/** Level 10 reaches all, but by a dynamic token, which others hold than its owner (D93). */
export function reachOf({ token_type, level, app_token }: Caller): Reach {
  return isSuperuser(level) && token_type !== 'dyn' ? 'all' : { app_token };
}

/** Whom a new webhook of the caller's belongs to: an application, or the user behind a user token. */
export function ownerFor({ token_type, app_token, owner_id, sponsor_id }: Caller): Owner {
  return token_type === 'use'
    ? { app_token: null, owner_id: sponsor_id ?? owner_id }
    : { app_token, owner_id: null };
}

/** What may be delivered by a webhook, and as whom its owner sees it. */
export interface Rights {
  readonly reader: Reader;
  readonly beholder: Beholder;
}

/** An application is nobody: what is said to users about themselves is not said to it. */
const NOBODY: Beholder = { characterId: -1, administrator: false };

/**
 * What the owner of a webhook may see at this moment, as `GET /event` would show it; undefined: nothing any more. A
 * dynamic token cannot ask there: it is shown what happened by it and the tokens that it led to, and of people whoever
 * did that, whose own token would have shown it.
 */
export async function rightsOf(
  db: Kysely<Database>,
  { app_token, owner_id }: Owner,
): Promise<Rights | undefined> {
  if (owner_id !== null) {
    const level = await findLevel(db, owner_id);
    if (level === undefined || !isSuperuser(level)) return undefined;
    return { reader: 'all', beholder: { characterId: owner_id, administrator: true } };
  }
  const app = app_token === null ? undefined : await findCaller(db, app_token);
  if (app === undefined || !app.may_log_in || isGuest(app.level)) return undefined;
  return app.token_type === 'dyn'
    ? { reader: { app_token: app.uuid }, beholder: NOBODY }
    : { reader: feedReader(app), beholder: beholderOf(app) };
}
