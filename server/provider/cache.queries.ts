import { type Kysely, sql } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Database } from '../database/tables.ts';

/** An answer of the provider as it is kept. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  readonly etag: string | null;
  readonly fresh_until: Date;
}

export async function findPublicAnswer(db: Kysely<Database>, key: string): Promise<KeptAnswer | undefined> {
  const { rows } = await sql<KeptAnswer>`
    select status, headers, body, etag, fresh_until from provider_cache
    where key = ${key} and grant_id is null`.execute(db);
  return rows[0];
}

export interface UsableGrant {
  readonly grant_id: string;
  readonly refresh_token: Buffer;
  readonly access_token: Buffer | null;
  readonly access_expires_on: Date | null;
  /** A refresh began long ago and never ended: only another one can tell whether the token still lives. */
  readonly cut_off: boolean;
}

/** The key of a grant's own answer. */
export function privateKey(grantId: string, key: string): string {
  return `${grantId} ${key}`;
}

/**
 * The best grant of a character that covers the scope, the one with the most scopes, then the newest (D34b),
 * together with what is kept for it under the key: one statement, for it precedes every authorised request.
 */
export async function findGrantWithAnswer(
  db: Kysely<Database>,
  characterId: number,
  scope: ExtScope,
  key: string,
): Promise<{ readonly grant: UsableGrant; readonly kept: KeptAnswer | undefined } | undefined> {
  const { rows } = await sql<UsableGrant & { [Field in keyof KeptAnswer]: KeptAnswer[Field] | null }>`
    select g.*, c.status, c.headers, c.body, c.etag, c.fresh_until
    from (
      select grant_id, refresh_token, access_token, access_expires_on,
        coalesce(refresh_started_on <= now() - interval '30 seconds', false) as cut_off
      from grants
      where character_id = ${characterId} and valid and scopes @> array[${scope}::text]
      order by cardinality(scopes) desc, updated_on desc, grant_id
      limit 1
    ) g
    left join provider_cache c on c.key = g.grant_id::text || ' ' || ${key} and c.grant_id = g.grant_id`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { grant_id, refresh_token, access_token, access_expires_on, cut_off, ...kept } = row;
  return {
    grant: { grant_id, refresh_token, access_token, access_expires_on, cut_off },
    kept: kept.status === null ? undefined : (kept as KeptAnswer),
  };
}
