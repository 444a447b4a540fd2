import type { Kysely } from 'kysely';
import type { TokenKind } from '../../contract/access.ts';
import type { Database } from '../database/tables.ts';
import { recordEvents, userTarget } from '../event/record.ts';

interface ToldToken {
  readonly uuid: string;
  readonly token_type: TokenKind;
  readonly owner_id: number;
}

/** A token came or went, with all that descended from it; as its name stands of which kind it is. */
export async function recordToken(
  db: Kysely<Database>,
  type: 'token.created' | 'token.deleted',
  { uuid, token_type, owner_id }: ToldToken,
  now: Date,
): Promise<void> {
  const targets = [{ type: 'token' as const, id: uuid, name: token_type }, userTarget(owner_id)];
  await recordEvents(db, [{ type, targets }], now);
}
