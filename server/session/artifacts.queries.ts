import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';
import { CLOCKS_APART } from '../shared/clock.ts';
import { digestOf } from '../shared/digest.ts';

/** The model name of the rows that {@link rememberSignIn} writes; the OpenID Connect library does not use it. */
export const SIGN_IN = 'SignIn';

/** A record that the OpenID Connect library stores, keyed by a hash of its secret id. */
export interface Artifact {
  readonly model: string;
  readonly idHash: string;
  readonly payload: object;
  readonly grantHash: string | null;
  readonly sessionUid: string | null;
  readonly characterId: number | null;
  readonly clientId: string | null;
  readonly expiresOn: Date;
}

export async function saveArtifact(db: Kysely<Database>, artifact: Artifact): Promise<void> {
  const row = {
    payload: JSON.stringify(artifact.payload),
    grant_hash: artifact.grantHash,
    session_uid: artifact.sessionUid,
    character_id: artifact.characterId,
    client_id: artifact.clientId,
    expires_on: artifact.expiresOn,
  };
  const replacing = { ...row, ...replacingPayload[artifact.model] };
  await db
    .insertInto('oidc_artifacts')
    .values({ model: artifact.model, id_hash: artifact.idHash, consumed_on: null, ...row })
    .onConflict((conflict) => conflict.columns(['model', 'id_hash']).doUpdateSet(replacing))
    .execute();
}

/**
 * A session keeps the applications that concurrent requests have added to it, because the library stores those that it
 * had loaded, and empty parts of those that it looked for. No former one comes back: a login and a logout give the session
 * another id.
 */
const withOthersApplications = sql<string>`excluded.payload || jsonb_build_object('authorizations',
  coalesce(oidc_artifacts.payload->'authorizations', '{}') || coalesce(
    (select jsonb_object_agg(key, value) from jsonb_each(excluded.payload->'authorizations') where value ? 'grantId'),
    '{}'))`;

/** A grant keeps the scopes that a concurrent request has added, in whose code and tokens they would be missing. */
const withOthersScopes = sql<string>`jsonb_set(excluded.payload, '{openid,scope}', to_jsonb(concat_ws(' ',
  excluded.payload #>> '{openid,scope}', (
    select string_agg(scope, ' ') from unnest(string_to_array(oidc_artifacts.payload #>> '{openid,scope}', ' ')) scope
    where scope <> all(string_to_array(excluded.payload #>> '{openid,scope}', ' '))))))`;

/** The payloads of models that concurrent requests may write, each what it had loaded; of others the last one counts. */
const replacingPayload: Readonly<Record<string, { readonly payload: RawBuilder<string> }>> = {
  Session: { payload: withOthersApplications },
  Grant: { payload: withOthersScopes },
};

export interface StoredArtifact {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly consumed_on: Date | null;
}

/** A user's session at an application, by the `sid` in its ID tokens. */
interface SignedIn {
  readonly sid: string;
  readonly characterId: number;
  readonly clientId: string;
  readonly expiresOn: Date;
}

/**
 * Stores that a user is signed in to an application, for longer than the browser session may last: the application must
 * be notified when the right ends, even if nothing else of the session exists any more (D84).
 */
export async function rememberSignIn(db: Kysely<Database>, signedIn: SignedIn): Promise<void> {
  const { sid, characterId, clientId, expiresOn } = signedIn;
  await saveArtifact(db, {
    ...signInAt(sid),
    payload: { sid },
    characterId,
    clientId,
    expiresOn,
    grantHash: null,
    sessionUid: null,
  });
}

/** Deletes it after the application was notified of the end. */
export function forgetSignIn(db: Kysely<Database>, sid: string): Promise<void> {
  return deleteArtifact(db, signInAt(sid));
}

const signInAt = (sid: string) => ({ model: SIGN_IN, idHash: digestOf(sid) });

/** The model name of the rows that {@link rememberEnd} writes; the OpenID Connect library does not use it. */
const SESSION_END = 'SessionEnd';

/**
 * Stores that the user ended a browser session, for longer than it could last: a concurrent request that has read the
 * session stores it again (D82).
 */
export async function rememberEnd(db: Kysely<Database>, sessionUid: string, expiresOn: Date): Promise<void> {
  await saveArtifact(db, {
    model: SESSION_END,
    idHash: digestOf(sessionUid),
    payload: {},
    sessionUid,
    expiresOn,
    characterId: null,
    clientId: null,
    grantHash: null,
  });
}

/**
 * Whether the row `a` is a session that ended, or belongs to a sign-in from before the character's sessions were ended:
 * a concurrent request may have written it. Compared in seconds, as the sign-in's time is in seconds. An end that lies
 * ahead was stored while the clock was wrong, and would refuse every sign-in until then.
 */
export const isOver = (now: Date) => sql`(
  exists (select from oidc_endings e where e.character_id = a.character_id
    and e.ended_on <= ${new Date(now.getTime() + CLOCKS_APART)}
    and coalesce(a.payload->>'loginTs', a.payload->>'authTime')::bigint < floor(extract(epoch from e.ended_on)))
  or exists (select from oidc_artifacts o where o.session_uid = a.session_uid and o.model = ${sql.lit(SESSION_END)}))`;

export async function findArtifact(
  db: Kysely<Database>,
  { model, idHash }: Pick<Artifact, 'model' | 'idHash'>,
  now: Date,
): Promise<StoredArtifact | undefined> {
  const { rows } = await sql<StoredArtifact>`
    select a.payload, a.consumed_on from oidc_artifacts a
    where a.model = ${model} and a.id_hash = ${idHash} and a.expires_on > ${now} and not ${isOver(now)}`.execute(
    db,
  );
  return rows[0];
}

/**
 * A browser session by its uid, which tokens contain and which is not a secret; the newest row, where requests that
 * overlap have stored it twice.
 */
export async function findSession(
  db: Kysely<Database>,
  uid: string,
  now: Date,
): Promise<StoredArtifact | undefined> {
  const { rows } = await sql<StoredArtifact>`
    select a.payload, a.consumed_on from oidc_artifacts a
    where a.model = 'Session' and a.session_uid = ${uid} and a.expires_on > ${now} and not ${isOver(now)}
    order by a.expires_on desc limit 1`.execute(db);
  return rows[0];
}

/** An application's part of a browser session. */
interface Authorization {
  readonly sid: string;
  readonly grantId: string;
}

/**
 * Stores an application's part of a browser session in place of the one with the grant `former`. Returns the part that
 * is stored then: another one if a concurrent request was first; undefined if the session is not stored as this user's yet.
 */
export async function authorizeInSession(
  db: Kysely<Database>,
  { uid, accountId }: { readonly uid: string; readonly accountId: string },
  { clientId, former }: { readonly clientId: string; readonly former: string | undefined },
  part: Authorization,
): Promise<Partial<Authorization> | undefined> {
  const { rows } = await sql<{ stored: Partial<Authorization> }>`
    update oidc_artifacts a
    set payload = jsonb_set(a.payload, '{authorizations}', coalesce(a.payload->'authorizations', '{}')
      || case when a.payload #>> array['authorizations', ${clientId}, 'grantId'] is distinct from ${former ?? null}
        then '{}' else jsonb_build_object(${clientId}::text, ${JSON.stringify(part)}::jsonb) end)
    where a.model = 'Session' and a.session_uid = ${uid} and a.payload->>'accountId' = ${accountId}
    returning a.payload->'authorizations'->${clientId} as stored`.execute(db);
  return rows[0]?.stored;
}

/**
 * Marks a single-use record as used: of concurrent attempts exactly one succeeds. It no longer counts as the user's and
 * the application's: a refresh token that is used every ten minutes leaves thousands of them, which would all be read and
 * deleted when a right ends. They end with their grant, and by their time.
 */
export async function consumeArtifact(
  db: Kysely<Database>,
  { model, idHash }: Pick<Artifact, 'model' | 'idHash'>,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oidc_artifacts')
    .set({ consumed_on: now, character_id: null, client_id: null })
    .where('model', '=', model)
    .where('id_hash', '=', idHash)
    .where('consumed_on', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Undoes {@link consumeArtifact}; a record that was deleted since stays deleted, and one whose user or application was
 * deleted since stays used.
 *
 * @param until when it was used up at the latest: where the answer to this statement is lost it is repeated, and the
 * record may have been used since
 * @param since when it was at the earliest, where another request may have used it before
 */
export async function giveArtifactBack(
  db: Kysely<Database>,
  { model, idHash }: Pick<Artifact, 'model' | 'idHash'>,
  until: Date,
  since?: Date,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    // The use may not be committed yet: it is waited for, and only a statement that begins afterwards sees it.
    await tx
      .selectFrom('oidc_artifacts')
      .select('model')
      .where('model', '=', model)
      .where('id_hash', '=', idHash)
      .forUpdate()
      .execute();
    await sql`
      update oidc_artifacts a set consumed_on = null, character_id = u.character_id, client_id = c.client_id
      from users u, oidc_clients c
      where a.model = ${model} and a.id_hash = ${idHash} and a.consumed_on <= ${until}
        and a.consumed_on >= coalesce(${since ?? null}, '-infinity'::timestamptz)
        and u.character_id = (a.payload->>'accountId')::bigint and c.client_id = a.payload->>'clientId'`.execute(
      tx,
    );
  });
}

/** Stores the answer to an interaction, in the form in which the library stores it; one that is over stays so. */
export async function answerInteraction(
  db: Kysely<Database>,
  uidHash: string,
  result: object,
): Promise<void> {
  await db
    .updateTable('oidc_artifacts')
    .set({ payload: sql`payload || jsonb_build_object('result', ${JSON.stringify(result)}::jsonb)` })
    .where('model', '=', 'Interaction')
    .where('id_hash', '=', uidHash)
    .execute();
}

export async function deleteArtifact(
  db: Kysely<Database>,
  { model, idHash }: Pick<Artifact, 'model' | 'idHash'>,
): Promise<void> {
  await db.deleteFrom('oidc_artifacts').where('model', '=', model).where('id_hash', '=', idHash).execute();
}

/**
 * Deletes a token with all others of its grant, by one statement: after a failure a retry still finds it, and ends the
 * others, too.
 */
export async function deleteTokens(
  db: Kysely<Database>,
  { model, idHash }: Pick<Artifact, 'model' | 'idHash'>,
): Promise<void> {
  await sql`
    with token as (select grant_hash from oidc_artifacts where model = ${model} and id_hash = ${idHash})
    delete from oidc_artifacts
    where grant_hash = (select grant_hash from token) and model in ('AccessToken', 'RefreshToken', 'AuthorizationCode')`.execute(
    db,
  );
}

/** Whether a grant has this many refresh tokens, used ones included. */
export async function hasRefreshTokens(
  db: Kysely<Database>,
  grantHash: string,
  count: number,
): Promise<boolean> {
  const last = await db
    .selectFrom('oidc_artifacts')
    .select('model')
    .where('grant_hash', '=', grantHash)
    .where('model', '=', 'RefreshToken')
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst();
  return last !== undefined;
}

/** Grants of a user to an application that nothing uses: as many browsers can come back without a new one. */
const IDLE_GRANTS_KEPT = 10;
/** Milliseconds after which a grant that has neither code nor token is not about to get one. */
const GRANT_AT_WORK = 3_600_000;
/** Deleted at a time, where there are very many from before. */
const IDLE_GRANTS_AT_ONCE = 1_000;

/**
 * Deletes the oldest grants of a user to an application that have no valid code or token: each sign-in in a new browser
 * session adds one, which would stay for a year. A session that still names one gets another, without asking.
 *
 * @param lifetime milliseconds from a grant's beginning to its end
 */
export async function deleteIdleGrants(
  db: Kysely<Database>,
  { characterId, clientId }: { readonly characterId: number; readonly clientId: string },
  { now, lifetime }: { readonly now: Date; readonly lifetime: number },
): Promise<void> {
  const endOfOld = new Date(now.getTime() + lifetime - GRANT_AT_WORK);
  await sql`
    delete from oidc_artifacts where (model, id_hash) in (
      select g.model, g.id_hash from oidc_artifacts g
      where g.model = 'Grant' and g.character_id = ${characterId} and g.client_id = ${clientId}
        and g.expires_on < ${endOfOld}
        and not exists (select from oidc_artifacts t
          where t.grant_hash = g.grant_hash and t.model <> 'Grant' and t.expires_on > ${now})
      order by g.expires_on desc, g.id_hash offset ${IDLE_GRANTS_KEPT} limit ${IDLE_GRANTS_AT_ONCE}
      for update skip locked)`.execute(db);
}

/** Deletes a grant. Records that a concurrent request still writes are useless without it. */
export async function deleteGrant(db: Kysely<Database>, grantHash: string, model?: string): Promise<void> {
  await db
    .deleteFrom('oidc_artifacts')
    .where('grant_hash', '=', grantHash)
    .$if(model !== undefined, (query) => query.where('model', '=', model as string))
    .execute();
}

/** Deletes up to `most` expired records; returns how many. */
export async function deleteExpiredArtifacts(db: Kysely<Database>, now: Date, most: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from oidc_artifacts where (model, id_hash) in (
      select model, id_hash from oidc_artifacts where expires_on <= ${now}
      order by expires_on limit ${most} for update skip locked)`.execute(db);
  return Number(numAffectedRows);
}
