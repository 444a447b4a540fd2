import { nameKey } from '../../../server/database/name-key.ts';
import { inTransaction } from '../../../server/database/transaction.ts';
import { saveSnapshot } from '../../../server/registry/save-snapshot.ts';
import { addCoalition, addUser } from '../../fixtures/users.ts';
import type { TestApp } from '../app.ts';
import type { World } from '../model/world.ts';

/** The id of the hand-made group at this index. */
export const groupId = (place: number) => `a${place}`.repeat(12);

/** Creates the registry of a world. */
export async function settle(app: TestApp, world: World): Promise<void> {
  const { db, clock } = app;
  await db.deleteFrom('persons').execute();
  await db.deleteFrom('groups').execute();
  await db.deleteFrom('coalitions').execute();
  await db.deleteFrom('users').where('character_id', '!=', 0).execute();
  const snapshot = {
    alliances: [...world.alliances.values()].map(({ id, name, executor }) => ({
      alliance_id: id,
      alliance_name: name,
      ticker: 'AL',
      executor_corporation_id: executor,
    })),
    corporations: [...world.corporations.values()].map(({ id, name, alliance, ceo }) => ({
      corporation_id: id,
      corporation_name: name,
      ticker: 'CO',
      alliance_id: alliance,
      ceo_id: ceo,
      ceo_name: 'A CEO',
    })),
    characters: [],
  };
  await inTransaction(db, (tx) => saveSnapshot(tx, snapshot, clock.now()));
  for (const { id, name, level, corporation } of world.users.values()) {
    if (id !== 0) await addUser(app, { id, name, level, ...(corporation !== null && { corporation }) });
  }
  for (const { id, alliances, corporations, letsIn } of world.coalitions) {
    await addCoalition(app, id, { alliances: [...alliances], corporations: [...corporations] }, letsIn);
  }
  for (const [i, { name, letsIn, owner, members }] of world.groups.entries()) {
    const row = { group_id: groupId(i), group_name: name, name_key: nameKey(name), owner_id: owner };
    await db.transaction().execute(async (tx) => {
      await tx
        .insertInto('groups')
        .values({ ...row, authorized_to_login: letsIn })
        .execute();
      const rows = [...members].map((character_id) => ({ group_id: groupId(i), character_id }));
      await tx.insertInto('group_members').values(rows).execute();
    });
  }
}
