import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Event } from '../../contract/event.ts';
import { ok } from '../../sdk/src/index.ts';
import type { ProviderSnapshot } from '../../server/registry/provider-snapshot.ts';
import { noticeHandover } from '../../server/sign-in/notice-handover.ts';
import { eventsOf, misfits } from '../fixtures/events.ts';
import { storeSnapshot } from '../fixtures/registry.ts';
import { addOrganizations, addUser } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { meanwhile } from '../harness/meanwhile.ts';
import { userRow } from '../harness/sign-in.ts';

/** What others change of users while somebody signs in, or an organization moves. */

const ALLIANCE = 99_972_001;
/** The first is led by {@link CEO}. */
const [LED, MOVING, ELSEWHERE] = [98_972_001, 98_972_002, 98_972_003] as const;
const CEO = LED;
const params = { character_id: CEO };

let app: TestApp;
let root: Client;
let people = 2_197_200_000;

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addOrganizations(app, [
    { corporations: [LED] },
    { corporations: [MOVING] },
    { corporations: [ELSEWHERE] },
  ]);
});
afterAll(() => app.stop());

/** Adds a member; returns its id. */
async function addMember(corporation: number): Promise<number> {
  people += 1;
  await addUser(app, { id: people, corporation });
  return people;
}

/**
 * A sign-in of a member of a corporation.
 *
 * @param meanwhile runs when everybody is locked who is going to be
 */
async function signIn(
  character_id: number,
  corporation_id: number,
  meanwhile?: () => Promise<unknown>,
  corporations: ProviderSnapshot['corporations'] = [],
): Promise<void> {
  const characters = [{ character_id, character_name: `Character ${character_id}`, corporation_id }];
  await storeSnapshot(app, { corporations, characters }, meanwhile);
}

const about = (id: number, events: readonly Event[]) =>
  events.filter(({ targets: [target] }) => target?.type === 'user' && target.id === String(id));

describe('D91: what happens to a CEO while a member signs in is told once:', () => {
  beforeEach(async () => {
    await app.db.deleteFrom('users').where('character_id', '=', CEO).execute();
    await addUser(app, { id: CEO, level: 4, corporation: LED });
  });

  it('the level that is set', async () => {
    const member = await addMember(LED);
    const set = () => ok(root.user.update({ params, body: { clearance_level: 6 } }));
    const events = await eventsOf(app.db, () => signIn(member, LED, set));
    const told = about(CEO, events).map(({ type, actor }) => [type, actor.character_id]);
    expect(told).toEqual([['user.standing_changed', 0]]);
    expect(misfits(events)).toEqual([]);
  });

  it('a level below that of the office, to which the next sign-in raises (D19)', async () => {
    const member = await addMember(LED);
    const lower = () => ok(root.user.update({ params, body: { clearance_level: 0 } }));
    const events = await eventsOf(app.db, async () => {
      await signIn(member, LED, lower);
      expect(await userRow(app, CEO)).toMatchObject({ clearance_level: 0 });
      await signIn(member, LED);
      expect(await userRow(app, CEO)).toMatchObject({ clearance_level: 2 });
    });
    expect(about(CEO, events).map(({ changes }) => changes)).toEqual([
      [{ field: 'clearance_level', before: 4, after: 0 }],
      [{ field: 'clearance_level', before: 0, after: 2 }],
    ]);
  });

  it('the deletion', async () => {
    const member = await addMember(LED);
    const events = await eventsOf(app.db, () => signIn(member, LED, () => ok(root.user.delete({ params }))));
    expect(about(CEO, events).map(({ type }) => type)).toEqual(['user.deleted']);
  });

  it('the first sign-in', async () => {
    await ok(root.user.delete({ params }));
    const member = await addMember(LED);
    const led = { corporation_id: LED, corporation_name: 'Led', ticker: 'L', alliance_id: null };
    const refreshed = [{ ...led, ceo_id: CEO, ceo_name: `Character ${CEO}` }];
    const events = await eventsOf(app.db, () => signIn(member, LED, () => signIn(CEO, LED), refreshed));
    expect(about(CEO, events).map(({ type }) => type)).toEqual(['user.registered']);
  });
});

it('D29b: a hand-over raises no other CEO, of whom it would tell nothing', async () => {
  await app.db.deleteFrom('users').where('character_id', '=', CEO).execute();
  await addUser(app, { id: CEO, level: 0, corporation: LED });
  const characterId = await addMember(LED);
  const seller = app.db.updateTable('users').set({ owner_hash: 'seller' });
  await seller.where('character_id', '=', characterId).execute();
  await noticeHandover(app.app.services, { characterId, characterName: 'Sold', ownerHash: 'buyer' });
  expect(await userRow(app, characterId)).toMatchObject({ owner_hash: 'buyer' });
  expect(await userRow(app, CEO)).toMatchObject({ clearance_level: 0 });
});

it('D91: who joins a corporation that is about to join an alliance is told of as a member of that', async () => {
  const [member, joining] = [await addMember(MOVING), await addMember(ELSEWHERE)];
  const events = await eventsOf(app.db, () =>
    meanwhile(
      app,
      'select from users where character_id = $1 for update',
      [member],
      () => addOrganizations(app, [{ alliance: ALLIANCE, corporations: [MOVING] }]),
      () => signIn(joining, MOVING),
    ),
  );
  const alliances = about(joining, events)
    .flatMap(({ changes }) => changes)
    .filter(({ field }) => field === 'alliance');
  expect(alliances).toEqual([{ field: 'alliance', before: null, after: ALLIANCE }]);
});
