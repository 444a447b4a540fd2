import { nameKey } from '../../server/database/name-key.ts';
import { objectId } from '../../server/database/object-id.ts';
import { inTransaction } from '../../server/database/transaction.ts';
import { findAlliance, findCorporation } from '../../server/registry/findings.ts';
import { saveFindings } from '../../server/registry/save.ts';
import type { TestApp } from './app.ts';

/** Registers alliances and corporations of the simulated world and lets their members in by a coalition. */
export async function letIn(
  { app: { parts }, clock }: TestApp,
  bodies: { readonly alliances?: readonly number[]; readonly corporations?: readonly number[] },
): Promise<string> {
  const { db, api } = parts;
  const alliances = bodies.alliances ?? [];
  const corporations = bodies.corporations ?? [];
  const found = [
    ...(await Promise.all(alliances.map(async (id) => must(await findAlliance(api, id), id)))),
    ...(await Promise.all(corporations.map(async (id) => must(await findCorporation(api, id), id)))),
  ];
  for (const findings of found) await inTransaction(db, (tx) => saveFindings(tx, findings, clock.now()));
  const coalition_id = objectId(clock.now());
  const coalition_name = `Let in ${coalition_id}`;
  await db
    .insertInto('coalitions')
    .values({
      coalition_id,
      coalition_name,
      name_key: nameKey(coalition_name),
      ticker: 'IN',
      authorized_to_login: true,
    })
    .execute();
  if (alliances.length > 0) {
    const rows = alliances.map((alliance_id) => ({ coalition_id, alliance_id }));
    await db.insertInto('coalition_alliances').values(rows).execute();
  }
  if (corporations.length > 0) {
    const rows = corporations.map((corporation_id) => ({ coalition_id, corporation_id }));
    await db.insertInto('coalition_corporations').values(rows).execute();
  }
  return coalition_id;
}

function must<T>(value: T | undefined, id: number): T {
  if (value === undefined) throw new Error(`the simulated provider does not know ${id}`);
  return value;
}

export async function setLevel({ db }: TestApp, characterId: number, clearance_level: number): Promise<void> {
  await db.updateTable('users').set({ clearance_level }).where('character_id', '=', characterId).execute();
}

const ADMITTED = 'ad'.repeat(12);

/** Lets a user log in wherever it belongs (D27), by a hand-made group: it brings nobody nearer to anybody. */
export async function admitUser({ db }: TestApp, characterId: number): Promise<void> {
  await db
    .insertInto('groups')
    .values({ group_id: ADMITTED, group_name: 'Admitted', name_key: 'admitted', authorized_to_login: true })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db.insertInto('group_members').values({ group_id: ADMITTED, character_id: characterId }).execute();
}
