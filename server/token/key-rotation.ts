import type { Kysely } from 'kysely';
import type { Database } from '../database/tables.ts';
import type { SigningKeys } from './signing-keys.ts';
import { tokensOfOtherKeys } from './token.queries.ts';

/** A signing key was taken away that unexpired tokens still need (D20b). */
export class KeysRemoved extends Error {
  constructor(tokens: readonly { uuid: string; token_type: string; kid: string }[]) {
    const list = tokens
      .map(({ uuid, token_type, kid }) => `  - ${token_type} ${uuid} (key ${kid})`)
      .join('\n');
    super(
      `TOKEN_SIGNING_KEYS lacks keys that unexpired tokens were signed with:\n${list}\n` +
        'Put the keys back (the public half is enough to verify), sign these tokens anew with ' +
        '`npm run token -- --reissue UUID`, or start with FORCE_KEY_REMOVAL=true to invalidate them.',
    );
    this.name = 'KeysRemoved';
  }
}

/** Refuses to start without a key that unexpired tokens were signed with. */
export async function requireKeys(db: Kysely<Database>, keys: SigningKeys, now: Date): Promise<void> {
  const orphans = await tokensOfOtherKeys(db, keys.kids, now);
  if (orphans.length > 0) throw new KeysRemoved(orphans);
}
