import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { listChanged, recordEvents, userTarget } from '../event/record.ts';

/** Somebody proved who he is on the voice server, perhaps with an identity that was another one's (D41). */
export async function recordBound(
  db: Kysely<Database>,
  change: {
    readonly group: string;
    readonly user: number;
    readonly joins: boolean;
    readonly former: number | undefined;
  },
  clientDatabaseId: number,
  now: Date,
): Promise<void> {
  const { group, user, joins, former } = change;
  const identity = { type: 'voice_identity' as const, id: String(clientDatabaseId), name: null };
  const left = former === undefined ? [] : [former];
  const members = { added: joins ? [user] : [], removed: left };
  const targets = [{ type: 'group' as const, id: group, name: null }];
  await recordEvents(
    db,
    [
      { type: 'voice.bound', targets: [identity, userTarget(user)] },
      ...left.map((id) => ({ type: 'voice.unbound' as const, targets: [identity, userTarget(id)] })),
      ...listChanged({ type: 'group.members_changed', targets }, 'members', members),
    ],
    now,
  );
}
