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
  token: ToldToken,
  now: Date,
): Promise<void> {
  await recordTokens(db, type, [token], now);
}

export async function recordTokens(
  db: Kysely<Database>,
  type: 'token.created' | 'token.deleted',
  tokens: readonly ToldToken[],
  now: Date,
  reason: string | null = null,
): Promise<void> {
  const events = tokens.map(({ uuid, token_type, owner_id }) => ({
    type,
    targets: [{ type: 'token' as const, id: uuid, name: token_type }, userTarget(owner_id)],
    reason,
  }));
  await recordEvents(db, events, now);
}
