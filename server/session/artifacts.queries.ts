import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/tables.ts';
import { digestOf } from '../shared/digest.ts';

/** The model of rows that {@link rememberSignIn} writes; the library knows nothing of them. */
export const SIGN_IN = 'SignIn';

/** What the library of OpenID Connect keeps, by the hash of what proves it. */
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
  await db
    .insertInto('oidc_artifacts')
    .values({ model: artifact.model, id_hash: artifact.idHash, consumed_on: null, ...row })
    .onConflict((conflict) => conflict.columns(['model', 'id_hash']).doUpdateSet(row))
    .execute();
}

export interface StoredArtifact {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly consumed_on: Date | null;
}

/** What is kept of somebody signed in to an application, under the name that its ID tokens have for that. */
interface SignedIn {
  readonly sid: string;
  readonly characterId: number;
  readonly clientId: string;
  readonly expiresOn: Date;
}

/**
 * Remembers that an application let somebody in, for longer than the browser's session may last: it is to hear of the
 * end of that right though nothing else of the sign-in lives any more (D84).
 */
export async function rememberSignIn(db: Kysely<Database>, signedIn: SignedIn): Promise<void> {
  const { sid, characterId, clientId, expiresOn } = signedIn;
  await saveArtifact(db, {
    ...signInAt(sid),
    payload: { sid },
    ...{ characterId, clientId, expiresOn, grantHash: null, sessionUid: null },
  });
}

/** It was told that this is over. */
export function forgetSignIn(db: Kysely<Database>, sid: string): Promise<void> {
  return deleteArtifact(db, signInAt(sid));
}

const signInAt = (sid: string) => ({ model: SIGN_IN, idHash: digestOf(sid) });

/**
 * Whether the row `a` comes from a sign-in before its character's sessions were ended: it was written by a request that
 * was at work meanwhile. Seconds, as the sign-in's time is in seconds.
 */
export const isOver = sql`exists (select from oidc_endings e where e.character_id = a.character_id
  and coalesce(a.payload->>'loginTs', a.payload->>'authTime')::bigint < floor(extract(epoch from e.ended_on)))`;

export async function findArtifact(
  db: Kysely<Database>,
  { model, idHash }: Pick<Artifact, 'model' | 'idHash'>,
  now: Date,
): Promise<StoredArtifact | undefined> {
  const { rows } = await sql<StoredArtifact>`
    select a.payload, a.consumed_on from oidc_artifacts a
    where a.model = ${model} and a.id_hash = ${idHash} and a.expires_on > ${now} and not ${isOver}`.execute(
    db,
  );
  return rows[0];
}

/** A browser's session by the name that tokens know it by, which proves nothing. */
export async function findSession(
  db: Kysely<Database>,
  uid: string,
  now: Date,
): Promise<StoredArtifact | undefined> {
  const { rows } = await sql<StoredArtifact>`
    select a.payload, a.consumed_on from oidc_artifacts a
    where a.model = 'Session' and a.session_uid = ${uid} and a.expires_on > ${now} and not ${isOver}`.execute(
    db,
  );
  return rows[0];
}

/** Uses up what may be used once: of many that try at the same time, one does. */
export async function consumeArtifact(
  db: Kysely<Database>,
  { model, idHash }: Pick<Artifact, 'model' | 'idHash'>,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oidc_artifacts')
    .set({ consumed_on: now })
    .where('model', '=', model)
    .where('id_hash', '=', idHash)
    .where('consumed_on', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteArtifact(
  db: Kysely<Database>,
  { model, idHash }: Pick<Artifact, 'model' | 'idHash'>,
): Promise<void> {
  await db.deleteFrom('oidc_artifacts').where('model', '=', model).where('id_hash', '=', idHash).execute();
}

/** Ends a grant: without it, whatever a request at work still writes of it is worth nothing. */
export async function deleteGrant(db: Kysely<Database>, grantHash: string, model?: string): Promise<void> {
  await db
    .deleteFrom('oidc_artifacts')
    .where('grant_hash', '=', grantHash)
    .$if(model !== undefined, (query) => query.where('model', '=', model as string))
    .execute();
}

/** Deletes some of what has expired; returns how many. */
export async function deleteExpiredArtifacts(db: Kysely<Database>, now: Date, most: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from oidc_artifacts where (model, id_hash) in (
      select model, id_hash from oidc_artifacts where expires_on <= ${now}
      order by expires_on limit ${most} for update skip locked)`.execute(db);
  return Number(numAffectedRows);
}
