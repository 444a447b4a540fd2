import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Event } from '../../contract/event.ts';
import { ok } from '../../sdk/src/index.ts';
import { allEvents, misfits } from '../fixtures/events.ts';
import { joiningScenes } from '../fixtures/joining.ts';
import { letIn } from '../fixtures/registry.ts';
import { addBodies } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { meanwhile } from '../harness/meanwhile.ts';

/** Writes that read something before they wait for a lock, while another write changes it. */

const [ONE, OTHER] = [98_970_001, 98_970_002] as const;
const IN_GAME = 98_000_011;

let app: TestApp;
let root: Client;
let scenes: ReturnType<typeof joiningScenes>;

beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
  await addBodies(app, [{ corporations: [ONE] }, { corporations: [OTHER] }]);
  await letIn(app, { corporations: [IN_GAME] });
  scenes = joiningScenes(app, 7_900_000, [ONE, OTHER]);
});
afterAll(() => app.stop());

const group = () => ok(root.group.create({ body: { group_name: `Overtaken ${scenes.next()}` } }));

/** The events since the work began. */
async function eventsOf(work: () => Promise<unknown>): Promise<Event[]> {
  const before = (await allEvents(app.db)).length;
  await work();
  return (await allEvents(app.db)).slice(before);
}

describe('D91: what somebody else changes at the same moment', () => {
  it('is no consequence of a group that begins to say who may log in', async () => {
    const member = await scenes.person();
    await app.db.deleteFrom('group_members').where('character_id', '=', member.id).execute();
    const params = await group();
    const body = { authorized_to_login: true, add_members: [member.name] };
    const events = await eventsOf(() =>
      meanwhile(
        app,
        'lock table group_members in share mode',
        [],
        () => ok(root.group.update({ params, body })),
        () => ok(root.user.update({ params: { character_id: member.id }, body: { clearance_level: 3 } })),
      ),
    );
    const told = events.filter(({ type }) => type === 'user.standing_changed');
    expect(told.map(({ changes }) => changes)).toEqual([
      [{ field: 'clearance_level', before: 0, after: 3 }],
      [{ field: 'may_log_in', before: false, after: true }],
    ]);
    expect(misfits(events)).toEqual([]);
  });

  it('is told once: a user who is deleted while its coalition changes', async () => {
    const member = await scenes.person();
    const coalition = await ok(root.coalition.create({ body: { coalition_name: 'Overtaken', ticker: 'O' } }));
    const body = { add_member_corporations: [ONE] };
    const events = await eventsOf(() =>
      meanwhile(
        app,
        'lock table coalition_corporations in share mode',
        [],
        () => ok(root.coalition.update({ params: coalition, body })),
        () => ok(root.user.delete({ params: { character_id: member.id } })),
      ),
    );
    expect(events.filter(({ type }) => type === 'user.deleted')).toHaveLength(1);
    expect(misfits(events)).toEqual([]);
  });
});
