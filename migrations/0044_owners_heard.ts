import { type Kysely, sql } from 'kysely';

const statements = [
  `-- Which refresh tokens are used, and which of them count as valid: 30 seconds are more than a refresh may last.
   create or replace view standing_grants as
     select g.grant_id, g.character_id, g.scopes,
       g.valid and (g.heard_owner = u.owner_hash) is not false
         and (g.refresh_started_on is null or g.refresh_started_on > now() - interval '30 seconds') as valid,
       g.valid and (g.heard_owner = u.owner_hash) is not false as usable
     from grants g join users u using (character_id)`,
  `comment on view standing_grants is
     'usable: not declared dead, and the last refresh named no other owner of the character than the one who signed in
(D29b). valid: no refresh was cut off besides.'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
