import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Database } from '../database/tables.ts';

/** An answer of the provider as it is kept. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
  readonly etag: string | null;
  readonly fresh_until: Date;
  /** Of the present generation; others go with the next one unless {@link keepLonger} moves them. */
  readonly recent: boolean;
}

/** The generation that is written to: of two, see {@link beginGeneration}. */
const present = sql`coalesce((select generation from provider_cache_state), 0::smallint)`;

/** What is kept under a key, of the present generation if it is there; one look where it is. */
function keptUnder(key: RawBuilder<unknown>, whose: RawBuilder<unknown>): RawBuilder<unknown> {
  const columns = sql`status, headers, body, etag, fresh_until`;
  return sql`
    select ${columns}, true as recent from provider_cache
      where generation = ${present} and key = ${key} and ${whose}
    union all
    select ${columns}, false from provider_cache
      where generation = 1 - ${present} and key = ${key} and ${whose}
    limit 1`;
}

export async function findPublicAnswer(db: Kysely<Database>, key: string): Promise<StoredAnswer | undefined> {
  const { rows } = await sql<StoredAnswer>`${keptUnder(sql`${key}`, sql`grant_id is null`)}`.execute(db);
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
): Promise<{ readonly grant: UsableGrant; readonly kept: StoredAnswer | undefined } | undefined> {
  const { rows } = await sql<UsableGrant & { [Field in keyof StoredAnswer]: StoredAnswer[Field] | null }>`
    select g.*, c.*
    from (
      select grant_id, refresh_token, access_token, access_expires_on,
        coalesce(refresh_started_on <= now() - interval '30 seconds', false) as cut_off
      from grants
      where character_id = ${characterId} and valid and scopes @> array[${scope}::text]
      order by cardinality(scopes) desc, updated_on desc, grant_id
      limit 1
    ) g
    left join lateral (
      ${keptUnder(sql`g.grant_id::text || ' ' || ${key}`, sql`grant_id = g.grant_id`)}
    ) c on true`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { grant_id, refresh_token, access_token, access_expires_on, cut_off, ...kept } = row;
  return {
    grant: { grant_id, refresh_token, access_token, access_expires_on, cut_off },
    kept: kept.status === null ? undefined : (kept as StoredAnswer),
  };
}

/** An answer to be remembered; see {@link saveAnswer}. */
export interface CachedAnswer {
  readonly key: string;
  readonly grantId: string | null;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly etag: string | null;
  readonly freshUntil: Date;
  readonly keptUntil: Date;
}

/** A statement, to be completed, that keeps an answer. */
export function saveAnswer(answer: CachedAnswer): RawBuilder<unknown> {
  const { key, grantId, status, headers, body, etag, freshUntil, keptUntil } = answer;
  // A grant may be gone by now, and its answers with it.
  return sql`
    insert into provider_cache
      (generation, key, grant_id, status, headers, body, etag, fresh_until, kept_until)
    select ${present}, ${key}, ${grantId}::uuid, ${status}, ${JSON.stringify(headers)}::jsonb, ${body}, ${etag},
      ${freshUntil}, ${keptUntil}
    where ${grantId}::uuid is null or exists (select from grants where grant_id = ${grantId}::uuid for key share)
    on conflict (generation, key) do update set status = excluded.status, headers = excluded.headers,
      body = excluded.body, etag = excluded.etag, fresh_until = excluded.fresh_until,
      kept_until = excluded.kept_until`;
}

/** Takes a kept answer of the former generation, which was used, into the present one. */
export async function keepLonger(db: Kysely<Database>, key: string): Promise<void> {
  await sql`
    insert into provider_cache
      (generation, key, grant_id, status, headers, body, etag, fresh_until, kept_until)
    select ${present}, key, grant_id, status, headers, body, etag, fresh_until, kept_until
    from provider_cache k
    where key = ${key} and generation <> ${present}
      and (grant_id is null or exists (select from grants g where g.grant_id = k.grant_id for key share))
    on conflict (generation, key) do nothing`.execute(db);
}

/**
 * Begins a new generation when the present one takes half of what the cache may take on disk: the former one, which
 * holds what was not used since it ended, is emptied for that. False: there is no need, or somebody else is at it.
 */
export async function beginGeneration(db: Kysely<Database>, mostBytes: number): Promise<boolean> {
  const { rows } = await sql<{ begun: boolean }>`
    select provider_cache_rotate(${mostBytes}::bigint) as begun`.execute(db);
  return rows[0]?.begun ?? false;
}
