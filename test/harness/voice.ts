import type { SimulatedVoiceServer } from '../../server/simulated/voice-server.ts';
import type { TestApp } from './app.ts';

/** Members of the server groups with members, by sgid. */
export function membershipsOf({ world }: SimulatedVoiceServer): Record<number, number[]> {
  return Object.fromEntries(
    [...world.memberships].flatMap(([sgid, members]) =>
      members.size === 0 ? [] : [[sgid, [...members].sort((one, other) => one - other)]],
    ),
  );
}

/** Puts somebody with this identity on the voice server, bound to the user as if it had been proved. */
export async function addIdentity(
  app: TestApp,
  { world }: SimulatedVoiceServer,
  characterId: number,
  nickname = `User ${characterId}`,
) {
  const client = world.connect(nickname);
  await app.db
    .insertInto('voice_identities')
    .values({
      client_database_id: client.clientDatabaseId,
      character_id: characterId,
      bound_on: app.clock.now(),
      told_on: null,
    })
    .execute();
  return client;
}

/** A hand-made group with these members. */
export async function addGroup(
  { db }: TestApp,
  group_id: string,
  group_name: string,
  members: readonly number[],
): Promise<void> {
  await db
    .insertInto('groups')
    .values({ group_id, group_name, name_key: group_name.toLowerCase(), authorized_to_login: null })
    .execute();
  for (const character_id of members) {
    await db.insertInto('group_members').values({ group_id, character_id }).execute();
  }
}
