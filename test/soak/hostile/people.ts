import { FIRST_CHARACTER_ID } from '../../../dev/world/world.ts';
import { objectId } from '../../../server/database/object-id.ts';
import { addGrants } from '../../fixtures/grants.ts';
import { letIn } from '../../fixtures/registry.ts';
import { addUser, makeToken, uuidOf } from '../../fixtures/users.ts';
import { addGroup } from '../../fixtures/voice.ts';
import type { TestApp } from '../../harness/app.ts';

/** Somebody at level 0 with a token, a refresh token at the provider and a group of his own. */
export interface Person {
  readonly id: number;
  readonly name: string;
  readonly jwt: string;
  readonly group: string;
}

/** So many people of the simulated world, where they belong: the sync finds nothing to change. */
export async function settle(app: TestApp, count: number): Promise<Person[]> {
  const { world } = app.provider;
  const corporations = world.corporations.filter(({ npc }) => !npc);
  const organizations = corporations.map(({ id }) => id);
  await letIn(app, { corporations: organizations });
  // A CEO would be raised above level 0 (D19).
  const ceos = new Set(corporations.map(({ ceoId }) => ceoId));
  const members = organizations.flatMap((id) => world.membersOf(id)).filter((id) => !ceos.has(id));
  const ids = members.slice(0, count);
  if (ids.length < count) throw new Error(`there are no more than ${ids.length} characters`);
  const dyn = await makeToken(app, 'dyn', 0, uuidOf(app.root));
  const people: Person[] = [];
  for (const id of ids) people.push(await settleOne(app, id, dyn.uuid));
  return people;
}

async function settleOne(app: TestApp, id: number, dyn: string): Promise<Person> {
  const character = app.provider.world.character(id);
  if (character === undefined) throw new Error(`there is no character ${id}`);
  const { name, corporationId: corporation } = character;
  await addUser(app, { id, name, corporation });
  await addGrants(app, 1, ['ext-skills.read_skills.v1'], id - FIRST_CHARACTER_ID);
  const group = objectId(app.clock.now());
  await addGroup(app, group, `Friends of ${id}`, [id]);
  await app.db.updateTable('groups').set({ owner_id: id }).where('group_id', '=', group).execute();
  const { jwt } = await makeToken(app, 'use', id, dyn);
  return { id, name, jwt, group };
}
