import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventNews } from '../fixtures/events.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';

let app: TestApp;
let root: Client;
beforeAll(async () => {
  app = await startTestApp();
  root = app.client(app.root);
});
afterAll(() => app.stop());

/** The events since the last call. */
const news = eventNews(() => app.db);
beforeEach(async () => {
  await news();
});

async function createGroup(group_name: string): Promise<string> {
  const { body, status } = await root.group.create({ body: { group_name } });
  if (status !== 201) throw new Error(`${status}`);
  return body.group_id;
}

describe('D91: events of groups', () => {
  it('a new group, which causes that its owner becomes a member', async () => {
    const id = await createGroup('Scouts');
    const [created, joined, ...more] = await news();
    const targets = [{ type: 'group', id, name: 'Scouts' }];
    expect(created).toMatchObject({
      type: 'group.created',
      targets,
      actor: { kind: 'app', character_id: 0 },
      changes: [
        { field: 'group_name', before: null, after: 'Scouts' },
        { field: 'description', after: '' },
        { field: 'owner', after: 0 },
      ],
      cause: null,
    });
    expect(created?.context?.address).toMatch(/127\.0\.0\.1|::1/);
    expect(joined).toMatchObject({
      type: 'group.members_changed',
      targets,
      changes: [{ field: 'members', added: [0], removed: [] }],
      cause: { event_id: created?.event_id },
    });
    expect(more).toEqual([]);
  });

  it('the changes of an update, and none if it changed nothing', async () => {
    const id = await createGroup('Couriers');
    await news();
    const params = { group_id: id };
    await root.group.update({ params, body: { description: 'fast', authorized_to_login: true } });
    expect(await news()).toMatchObject([
      {
        type: 'group.updated',
        changes: [
          { field: 'description', before: '', after: 'fast' },
          { field: 'authorized_to_login', before: null, after: true },
        ],
      },
    ]);
    await root.group.update({ params, body: { description: 'fast', remove_members: ['(built-in)'] } });
    expect(await news()).toEqual([]);
  });

  it('none for what was refused', async () => {
    await createGroup('Taken');
    await news();
    expect((await root.group.create({ body: { group_name: 'taken' } })).status).toBe(409);
    expect(await news()).toEqual([]);
  });

  it('a deletion, with the removal of the members', async () => {
    const id = await createGroup('Doomed');
    await news();
    await root.group.delete({ params: { group_id: id } });
    expect(await news()).toMatchObject([
      { type: 'group.members_changed', changes: [{ field: 'members', added: [], removed: [0] }] },
      { type: 'group.deleted', targets: [{ type: 'group', id, name: 'Doomed' }] },
    ]);
  });
});
