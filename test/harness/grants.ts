import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import { grantPlace } from '../../server/sign-in/grant.queries.ts';
import { createRefreshTokens } from '../../server/simulated/refresh-token.ts';
import { FIRST_CHARACTER_ID } from '../../server/simulated/world.ts';
import type { TestApp } from './app.ts';

/**
 * Users with a refresh token each that the simulated sign-on knows, due for everything, in one statement: what that
 * many sign-ins leave behind, once their access tokens have expired. Returns their ids.
 */
export async function addGrants(
  { app, db, provider, clock }: TestApp,
  count: number,
  scopes: readonly ExtScope[],
  first = 0,
): Promise<number[]> {
  const { vault, settings } = app.parts;
  const tokens = createRefreshTokens(settings.sso.clientSecret, provider.world.seed);
  const ofProvider = scopes.map((scope) => scope.replace(/^ext-/, 'esi-'));
  const rows = Array.from({ length: count }, (_, n) => {
    const characterId = FIRST_CHARACTER_ID + first + n;
    const owner = provider.world.character(characterId)?.owner;
    if (owner === undefined) throw new Error(`there is no character ${characterId}`);
    const grantId = randomUUID();
    const token = tokens.issue({ characterId, scopes: ofProvider, owner });
    const sealed = vault.seal(token, grantPlace(grantId, 'refresh_token')).toString('base64');
    return { character_id: characterId, grant_id: grantId, sealed };
  });
  const now = clock.now();
  const given = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    as given(character_id bigint, grant_id uuid, sealed text)`;
  await sql`
    with people as (
      insert into users (character_id, character_name, name_key)
      select character_id, 'Character ' || character_id, 'character ' || character_id from ${given}
      on conflict do nothing
    ), granted as (
      insert into grants (grant_id, character_id, scopes, refresh_token, next_check_on)
      select grant_id, character_id, ${[...scopes].sort()}::text[], decode(sealed, 'base64'), ${now} from ${given}
    )
    insert into history_turns (character_id, history, due_on)
    select character_id, history, ${now}
    from ${given}, unnest(array['location', 'mail', 'skillpoints', 'wallet']) history
    on conflict do nothing`.execute(db);
  return rows.map(({ character_id }) => character_id);
}

/** Statements that were sent meanwhile, by their first words. */
export async function statementsOf(
  { statements }: TestApp,
  work: () => Promise<unknown>,
): Promise<readonly string[]> {
  const before = statements.length;
  await work();
  return statements.slice(before);
}
