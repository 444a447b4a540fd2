import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import type { Database } from '../database/tables.ts';
import type { Body } from '../shared/json-body.ts';

/** A cached answer of the provider. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly etag: string | null;
  readonly fresh_until: Date;
  /**
   * Whether it belongs to the present generation. Older ones are deleted with the next rotation unless {@link
   * moveToPresent} moves them.
   */
  readonly recent: boolean;
}

/** An answer as it was found: with neither body where that takes more bytes than were wanted. */
export type FoundAnswer = Omit<StoredAnswer, 'body'> & {
  readonly body: string | null;
  readonly packed: Buffer | null;
};

/** Which packed bodies are read: all, or those below so many bytes. */
export type Bodies = 'all' | { readonly below: number };

/** The generation that is written to; there are two, see {@link beginGeneration}. */
const present = sql`coalesce((select generation from provider_cache_state), 0::smallint)`;

/** The answer cached under a key, from the present generation if possible; the older one is read only if needed. */
function keptUnder(
  key: RawBuilder<unknown>,
  whose: RawBuilder<unknown>,
  bodies: Bodies,
): RawBuilder<unknown> {
  // PostgreSQL knows the size of what it keeps outside of the row without reading it.
  const packed =
    bodies === 'all'
      ? sql`packed`
      : sql`case when octet_length(packed) < ${bodies.below} then packed end as packed`;
  const columns = sql`status, headers, body, ${packed}, etag, fresh_until`;
  return sql`
    select ${columns}, true as recent from provider_cache
      where generation = ${present} and key = ${key} and ${whose}
    union all
    select ${columns}, false from provider_cache
      where generation = 1 - ${present} and key = ${key} and ${whose}
    limit 1`;
}

export async function findPublicAnswer(
  db: Kysely<Database>,
  key: string,
  bodies: Bodies,
): Promise<FoundAnswer | undefined> {
  const { rows } = await sql<FoundAnswer>`${keptUnder(sql`${key}`, sql`grant_id is null`, bodies)}`.execute(
    db,
  );
  return rows[0];
}

export interface UsableGrant {
  readonly grant_id: string;
  readonly refresh_token: Buffer;
  readonly access_token: Buffer | null;
  readonly access_expires_on: Date | null;
  /**
   * Whether a refresh was begun long ago and never ended: only another refresh can tell whether the token is still
   * valid.
   */
  readonly cut_off: boolean;
}

/** The cache key of an answer that belongs to one grant. */
export function privateKey(grantId: string, key: string): string {
  return `${grantId} ${key}`;
}

/**
 * The best grant of a character that covers the scope (the one with the most scopes, then the newest: D34b) and has named
 * no other owner (D29b), together with the answer cached for it under the key. One statement, because every authorized
 * request needs it.
 */
export async function findGrantWithAnswer(
  db: Kysely<Database>,
  characterId: number,
  scope: ExtScope,
  key: string,
  bodies: Bodies,
): Promise<{ readonly grant: UsableGrant; readonly kept: FoundAnswer | undefined } | undefined> {
  const { rows } = await sql<UsableGrant & { [Field in keyof FoundAnswer]: FoundAnswer[Field] | null }>`
    select g.*, c.*
    from (
      select grant_id, refresh_token, access_token, access_expires_on,
        coalesce(refresh_started_on <= now() - interval '30 seconds', false) as cut_off
      from grants join users u using (character_id)
      where character_id = ${characterId} and valid and (heard_owner = u.owner_hash) is not false
        and scopes @> array[${scope}::text]
      order by cardinality(scopes) desc, grants.updated_on desc, grant_id
      limit 1
    ) g
    left join lateral (
      ${keptUnder(sql`g.grant_id::text || ' ' || ${key}`, sql`grant_id = g.grant_id`, bodies)}
    ) c on true`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { grant_id, refresh_token, access_token, access_expires_on, cut_off, ...kept } = row;
  return {
    grant: { grant_id, refresh_token, access_token, access_expires_on, cut_off },
    kept: kept.status === null ? undefined : (kept as FoundAnswer),
  };
}

/**
 * A body as the cache stores it: small ones as text, large ones packed. To pack and store one takes a quarter of the CPU
 * time that it takes PostgreSQL to compress and store its text, and two thirds of the disk.
 */
export type StoredBody =
  | { readonly body: string; readonly packed: null }
  | { readonly body: null; readonly packed: Buffer };

/** An answer to be cached. */
export interface CachedAnswer {
  readonly key: string;
  readonly grantId: string | null;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly etag: string | null;
  readonly freshUntil: Date;
  readonly keptUntil: Date;
}

/** SQL that caches an answer, with its body as it is stored; part of a larger statement. */
export function saveAnswer(
  answer: Omit<CachedAnswer, 'body'>,
  { body, packed }: StoredBody,
): RawBuilder<unknown> {
  const { key, grantId, status, headers, etag, freshUntil, keptUntil } = answer;
  // The grant may have been deleted meanwhile, and its answers with it.
  return sql`
    insert into provider_cache
      (generation, key, grant_id, status, headers, body, packed, etag, fresh_until, kept_until)
    select ${present}, ${key}, ${grantId}::uuid, ${status}, ${JSON.stringify(headers)}::jsonb, ${body},
      ${packed}::bytea, ${etag}, ${freshUntil}, ${keptUntil}
    where ${grantId}::uuid is null or exists (select from grants where grant_id = ${grantId}::uuid for key share)
    on conflict (generation, key) do update set status = excluded.status, headers = excluded.headers,
      body = excluded.body, packed = excluded.packed, etag = excluded.etag, fresh_until = excluded.fresh_until,
      kept_until = excluded.kept_until`;
}

/** Moves a cached answer that was used from the older generation into the present one. */
export async function moveToPresent(db: Kysely<Database>, key: string): Promise<void> {
  await sql`
    insert into provider_cache
      (generation, key, grant_id, status, headers, body, packed, etag, fresh_until, kept_until)
    select ${present}, key, grant_id, status, headers, body, packed, etag, fresh_until, kept_until
    from provider_cache k
    where key = ${key} and generation <> ${present}
      and (grant_id is null or exists (select from grants g where g.grant_id = k.grant_id for key share))
    on conflict (generation, key) do nothing`.execute(db);
}

/**
 * Begins a new generation when the present one uses half of the disk space of the cache. For that the older generation,
 * which holds what was not used since, is emptied. False when there is no need, or another process is doing it.
 */
export async function beginGeneration(db: Kysely<Database>, mostBytes: number): Promise<boolean> {
  const { rows } = await sql<{ begun: boolean }>`
    select provider_cache_rotate(${mostBytes}::bigint) as begun`.execute(db);
  return rows[0]?.begun ?? false;
}
