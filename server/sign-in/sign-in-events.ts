import type { Kysely } from 'kysely';
import type { Actor } from '../../contract/event.ts';
import type { Database } from '../database/tables.ts';
import { GAME } from '../event/origin.ts';
import { type NewEvent, recordEvents, userTarget } from '../event/record.ts';
import type { Membership } from '../group/group.queries.ts';
import { departureEvents } from '../group/group-events.ts';
import { endedEvent } from '../policy/apply-judgement.ts';
import type { Ended } from '../policy/pending.queries.ts';

interface Identity {
  readonly characterId: number;
  readonly characterName: string;
}

/** Records a successful sign-in, with the user token if an application began it. */
export async function recordSignedIn(
  db: Kysely<Database>,
  { characterId, characterName }: Identity,
  token: string | undefined,
  now: Date,
): Promise<void> {
  const user = userTarget(characterId, characterName);
  const made: NewEvent[] =
    token === undefined
      ? []
      : [{ type: 'token.created', targets: [{ type: 'token', id: token, name: 'use' }, user] }];
  await recordEvents(db, [{ type: 'user.signed_in', targets: [user] }, ...made], now);
}

/** Records a refused sign-in; nothing else is stored about it (D26b). */
export async function recordRefused(
  db: Kysely<Database>,
  { characterId, characterName }: Identity,
  { reason, actor }: { readonly reason: string; readonly actor: Actor },
  now: Date,
): Promise<void> {
  const targets = [userTarget(characterId, characterName)];
  await recordEvents(db, [{ type: 'user.sign_in_refused', outcome: 'refused', targets, reason, actor }], now);
}

/** Records that the character has a new owner (D29b); returns the event's id, the cause of what follows. */
export async function recordHandedOver(
  db: Kysely<Database>,
  { characterId, characterName }: Identity,
  now: Date,
): Promise<string> {
  const targets = [userTarget(characterId, characterName)];
  const [event_id = ''] = await recordEvents(db, [{ type: 'user.handed_over', targets, actor: GAME }], now);
  return event_id;
}

/** Records the groups and applications that a character lost by a hand-over. */
export async function recordLosses(
  db: Kysely<Database>,
  { memberships, ended }: { readonly memberships: readonly Membership[]; readonly ended: readonly Ended[] },
  now: Date,
): Promise<void> {
  const left = departureEvents(memberships, () => undefined);
  await recordEvents(db, [...left, ...ended.map((one) => endedEvent(one))], now);
}
