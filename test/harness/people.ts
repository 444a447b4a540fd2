import { randomUUID } from 'node:crypto';
import { nameKey } from '../../server/database/name-key.ts';
import { inTransaction } from '../../server/database/transaction.ts';
import { saveFindings } from '../../server/registry/save.ts';
import type { TestApp } from './app.ts';

/** An alliance of the test's own making: the first of its corporations is the executor. */
export interface Body {
  readonly alliance?: number;
  readonly corporations: readonly number[];
}

/** Registers bodies that only the test knows; their CEOs are no users. */
export async function addBodies({ db, clock }: TestApp, bodies: readonly Body[]): Promise<void> {
  const findings = {
    alliances: bodies.flatMap(({ alliance, corporations }) =>
      alliance === undefined
        ? []
        : [
            {
              alliance_id: alliance,
              alliance_name: `Alliance ${alliance}`,
              ticker: `A${alliance % 1000}`,
              executor_corporation_id: corporations[0] as number,
            },
          ],
    ),
    corporations: bodies.flatMap(({ alliance, corporations }) =>
      corporations.map((corporation_id) => ({
        corporation_id,
        corporation_name: `Corporation ${corporation_id}`,
        ticker: `C${corporation_id % 1000}`,
        alliance_id: alliance ?? null,
        ceo_id: corporation_id,
        ceo_name: `CEO of ${corporation_id}`,
      })),
    ),
    characters: [],
  };
  await inTransaction(db, (tx) => saveFindings(tx, findings, clock.now()));
}

/** A coalition of bodies that are registered already; `letsIn` is its `authorized_to_login`. */
export async function addCoalition(
  { db }: TestApp,
  coalition_id: string,
  members: { readonly alliances?: readonly number[]; readonly corporations?: readonly number[] },
  letsIn: boolean | null = true,
): Promise<void> {
  const coalition_name = `Coalition ${coalition_id}`;
  await db
    .insertInto('coalitions')
    .values({
      coalition_id,
      coalition_name,
      name_key: nameKey(coalition_name),
      ticker: 'CO',
      authorized_to_login: letsIn,
    })
    .execute();
  for (const alliance_id of members.alliances ?? []) {
    await db.insertInto('coalition_alliances').values({ coalition_id, alliance_id }).execute();
  }
  for (const corporation_id of members.corporations ?? []) {
    await db.insertInto('coalition_corporations').values({ coalition_id, corporation_id }).execute();
  }
}

/** A user; below level 0 a guest of the corporation. */
export async function addUser(
  { db }: TestApp,
  user: {
    readonly id: number;
    readonly level?: number;
    readonly corporation?: number;
    readonly name?: string;
  },
): Promise<string> {
  const character_name = user.name ?? `Character ${user.id}`;
  await db
    .insertInto('users')
    .values({
      character_id: user.id,
      character_name,
      name_key: nameKey(character_name),
      clearance_level: user.level ?? 0,
      corporation_id: user.corporation ?? null,
      owner_hash: null,
      signed_in_on: null,
    })
    .execute();
  return character_name;
}

export interface MadeToken {
  readonly uuid: string;
  readonly jwt: string;
}

/** A token of any kind for any owner, as the service itself makes them; user tokens need a parent. */
export async function makeToken(
  { app, db, clock }: TestApp,
  kind: 'dyn' | 'per' | 'use',
  owner: number,
  parent?: string,
): Promise<MadeToken> {
  const { keys } = app.parts;
  const uuid = randomUUID();
  const now = clock.now();
  const token = {
    uuid,
    token_type: kind,
    owner_id: owner,
    parent: parent ?? null,
    app_token: kind === 'use' ? (parent as string) : uuid,
    kid: keys.currentKid,
    callback: kind === 'use' ? null : 'http://127.0.0.1:9/app',
    comments: null,
    created_on: now,
    expires_on: kind === 'use' ? new Date(now.getTime() + 86_400_000) : null,
  };
  await db.insertInto('tokens').values(token).execute();
  return { uuid, jwt: await keys.sign(token) };
}

/** The uuid in a JWT. */
export function uuidOf(jwt: string): string {
  return (claimsOf(jwt) as { jti: string }).jti;
}

/** The payload of a JWT, unverified. */
export function claimsOf(jwt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
}

/** Alliance, corporation and people of the tests that need no more than one place to belong to. */
export const HOME = { alliance: 99_100_001, corporation: 98_100_001, coalition: 'c0'.repeat(12) } as const;

/** One alliance with one corporation whose members may log in. */
export async function addHome(app: TestApp): Promise<void> {
  await addBodies(app, [{ alliance: HOME.alliance, corporations: [HOME.corporation] }]);
  await addCoalition(app, HOME.coalition, { alliances: [HOME.alliance] });
}

/** Somebody of {@link HOME} with a user token. */
export async function addMember(
  app: TestApp,
  id: number,
  level = 0,
): Promise<MadeToken & { readonly id: number; readonly name: string }> {
  const name = await addUser(app, { id, level, corporation: HOME.corporation });
  const parent = uuidOf(app.root);
  return { id, name, ...(await makeToken(app, 'use', id, await dynamicOf(app, parent))) };
}

async function dynamicOf(app: TestApp, parent: string): Promise<string> {
  return (await makeToken(app, 'dyn', 0, parent)).uuid;
}
