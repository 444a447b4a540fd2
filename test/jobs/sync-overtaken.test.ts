import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { applyPlan, type SyncPlan } from '../../server/registry/apply-plan.ts';
import { eventsOf, misfits } from '../fixtures/events.ts';
import { addOrganizations, addUser } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { meanwhile, untilBehind } from '../harness/meanwhile.ts';
import { testRun } from '../harness/run.ts';

/** What others change while a run of the sync writes its plan. */

/** The second is led by {@link CEO}. */
const [HOME, LED] = [98_971_001, 98_971_002] as const;
const CEO = LED;
const [MOVING, DOOMED, HEIR] = [2_197_100_001, 2_197_100_002, 2_197_100_003] as const;

let app: TestApp;
let root: Client;

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addOrganizations(app, [{ corporations: [HOME] }, { corporations: [LED] }]);
  await addUser(app, { id: CEO, level: 4, corporation: LED });
  for (const id of [MOVING, DOOMED, HEIR]) await addUser(app, { id, corporation: HOME });
});
afterAll(() => app.stop());

const NEVER = '-infinity';
const NOTHING: SyncPlan = {
  lookedAt: 1,
  healthy: true,
  snapshot: { alliances: [], corporations: [], characters: [] },
  asRead: { alliances: new Map(), corporations: new Map() },
  moves: [],
  deleted: [],
};
const apply = (plan: Partial<SyncPlan>) =>
  applyPlan(app.app.services, testRun('sync-users'), { ...NOTHING, ...plan });

it('D91: the level of a CEO that is set while somebody is moved to the corporation is told once', async () => {
  const moves = [{ character_id: MOVING, signed_in: NEVER, from: HOME, to: LED, guest: false }];
  const events = await eventsOf(app.db, () =>
    // The run waits where it makes the autogroup of the corporation.
    meanwhile(
      app,
      'lock table groups in share mode',
      [],
      () => apply({ moves }),
      () => ok(root.user.update({ params: { character_id: CEO }, body: { clearance_level: 6 } })),
    ),
  );
  const told = events.filter(({ targets: [of] }) => of?.type === 'user' && of.id === String(CEO));
  expect(told.map(({ actor }) => actor.character_id)).toEqual([0]);
  expect(events.map(({ type }) => type)).toContain('user.moved');
  expect(misfits(events)).toEqual([]);
});

it('D91: the owner of a group that is handed on while its owner is deleted is the one who was told last', async () => {
  const params = await ok(root.group.create({ body: { group_name: 'Handed on' } }));
  await ok(root.group.update({ params, body: { owner: `Character ${DOOMED}` } }));
  await app.db
    .updateTable('users')
    .set({ graveyard_on: app.clock.now() })
    .where('character_id', '=', DOOMED)
    .execute();
  await app.db.insertInto('mailboxes').values({ character_id: DOOMED }).execute();
  const body = { owner: `Character ${HEIR}` };
  let handing: Promise<unknown> | undefined;
  const events = await eventsOf(app.db, async () => {
    // The run waits where it deletes the histories.
    await meanwhile(
      app,
      'select from mailboxes where character_id = $1 for update',
      [DOOMED],
      () => apply({ deleted: [{ character_id: DOOMED, signed_in: NEVER }] }),
      async (other) => {
        handing = ok(root.group.update({ params, body }));
        await untilBehind(other, 2, handing);
      },
    );
    await handing;
  });
  const owners = events.flatMap(({ type, changes }) =>
    type === 'group.updated' ? changes.flatMap((one) => ('after' in one ? [one.after] : [])) : [],
  );
  expect(events.map(({ type }) => type)).toContain('user.deleted');
  expect(owners.at(-1)).toBe((await ok(root.group.get({ params }))).owner?.character_id ?? null);
  expect(misfits(events)).toEqual([]);
});

describe('what others wrote since the run read it stands', () => {
  let made = 2_197_200_000;
  const userAt = async (corporation: number, level: number) => {
    made += 1;
    await addUser(app, { id: made, level, corporation });
    return made;
  };
  const rowOf = (id: number) =>
    app.db
      .selectFrom('users')
      .select(['corporation_id', 'clearance_level'])
      .where('character_id', '=', id)
      .executeTakeFirst();

  it('D19: a user whom somebody else has moved keeps corporation and level', async () => {
    const id = await userAt(LED, 2);
    await apply({ moves: [{ character_id: id, signed_in: NEVER, from: HOME, to: null, guest: false }] });
    expect(await rowOf(id)).toEqual({ corporation_id: LED, clearance_level: 2 });
  });

  it('D39: a character that has become a user is not registered once more', async () => {
    const id = await userAt(LED, 2);
    const newcomer = { character_id: id, character_name: `Character ${id}`, corporation_id: HOME };
    await apply({ snapshot: { alliances: [], corporations: [], characters: [newcomer] } });
    expect(await rowOf(id)).toEqual({ corporation_id: LED, clearance_level: 2 });
  });

  it.each([
    ['signs in', 'signed_in_on = now()'],
    ['is seen elsewhere', 'graveyard_on = null'],
  ])('D63b: a deleted character that %s at this moment stays', async (_, change) => {
    const id = await userAt(HOME, 0);
    const buried = app.db.updateTable('users').set({ graveyard_on: app.clock.now() });
    await buried.where('character_id', '=', id).execute();
    const deleted = [{ character_id: id, signed_in: NEVER }];
    const changes = await meanwhile(app, `update users set ${change} where character_id = $1`, [id], () =>
      apply({ deleted }),
    );
    expect(changes).toEqual([]);
    expect(await rowOf(id)).toBeDefined();
  });
});
