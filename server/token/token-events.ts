import type { Kysely } from 'kysely';
import type { TokenKind } from '../../contract/access.ts';
import type { Database } from '../database/tables.ts';
import { recordEvents, userTarget } from '../event/record.ts';

interface ToldToken {
  readonly uuid: string;
  readonly token_type: TokenKind;
  readonly owner_id: number;
}

/**
 * Records that a token was created or deleted, together with its descendants; the event's name contains the token's
 * kind.
 */
export async function recordToken(
  db: Kysely<Database>,
  type: 'token.created' | 'token.deleted',
  { uuid, token_type, owner_id }: ToldToken,
  now: Date,
): Promise<void> {
  const targets = [{ type: 'token' as const, id: uuid, name: token_type }, userTarget(owner_id)];
  await recordEvents(db, [{ type, targets }], now);
}
