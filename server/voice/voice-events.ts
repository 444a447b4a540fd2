import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import { recordEvents, userTarget } from '../event/record.ts';

/** Records that a user bound a voice identity, which may have been another user's (D41). */
export async function recordBound(
  db: Kysely<Database>,
  { user, former }: { readonly user: number; readonly former: number | undefined },
  clientDatabaseId: number,
  now: Date,
): Promise<void> {
  const identity = { type: 'voice_identity' as const, id: String(clientDatabaseId), name: null };
  const left = former === undefined ? [] : [former];
  await recordEvents(
    db,
    [
      { type: 'voice.bound', targets: [identity, userTarget(user)] },
      ...left.map((id) => ({ type: 'voice.unbound' as const, targets: [identity, userTarget(id)] })),
    ],
    now,
  );
}
