import { type Act, unlessRefused } from '../act.ts';
import type { Kept } from '../ledger.ts';
import { type Person, pick, type Scene } from '../scene.ts';

/** Groups that come and go. */
const FEW = 15;
const MANY = 30;

const administrator = (scene: Scene) => pick(scene, scene.administrators).castellan;
const byId = ({ id }: Kept) => ({ params: { group_id: id } });

async function create(scene: Scene): Promise<void> {
  const { ledger } = scene;
  const { castellan, id: owner } = pick(scene, scene.administrators);
  const description = `Founded as number ${scene.next()}`;
  const name = ledger.nextName();
  const { group_id: id } = await castellan.group.create({ body: { group_name: name, description } });
  const kept: Kept = { id, name, descriptions: [description], members: new Map([[owner, true]]) };
  ledger.groups.add(kept);
  await castellan.group.setPolicy({ ...byId(kept), body: { joining: 'open' } });
}

/** A change after which somebody is a member, or is none; whether it was done. */
async function come(
  { members }: Kept,
  { id }: Person,
  member: boolean,
  work: () => Promise<boolean>,
): Promise<void> {
  const before = members.get(id) ?? false;
  members.set(id, undefined);
  members.set(id, (await work()) ? member : before);
}

/** Groups that are made, changed, joined, left and deleted, with a record of what was acknowledged. */
export const groups: readonly Act[] = [
  {
    name: 'make a group',
    rate: 0.15,
    run: async (scene) => scene.ledger.groups.free < MANY && create(scene),
  },
  {
    name: 'describe a group',
    rate: 1.2,
    run: (scene) =>
      scene.ledger.groups.lend(async (kept) => {
        const description = `Note ${scene.next()}`;
        kept.descriptions = [...kept.descriptions, description];
        await administrator(scene).group.update({ ...byId(kept), body: { description } });
        kept.descriptions = [description];
      }),
  },
  {
    name: 'join or leave a group',
    rate: 0.3,
    run: (scene) =>
      scene.ledger.groups.lend(async (kept) => {
        const person = pick(scene, scene.people);
        const { group } = person.castellan;
        // What a former answer left open is left alone; 409: the day's applications are used up, or nobody may join.
        if (kept.members.has(person.id) && kept.members.get(person.id) === undefined) return;
        if (kept.members.get(person.id) === true) {
          await come(kept, person, false, () => unlessRefused(409, () => group.leave(byId(kept))));
        } else await come(kept, person, true, () => unlessRefused(409, () => group.apply(byId(kept))));
      }),
  },
  {
    name: 'add and remove members',
    rate: 0.3,
    run: (scene) =>
      scene.ledger.groups.lend(async (kept) => {
        const person = pick(scene, scene.people);
        const member = scene.random() < 0.5;
        const change = member ? 'add_members' : 'remove_members';
        await come(kept, person, member, async () => {
          await administrator(scene).group.update({ ...byId(kept), body: { [change]: [person.name] } });
          return true;
        });
      }),
  },
  {
    name: 'what a change of members would mean',
    rate: 0.15,
    run: (scene) =>
      scene.ledger.groups.lend((kept) =>
        administrator(scene).group.update.preview({ ...byId(kept), body: { members: [] } }),
      ),
  },
  {
    name: 'delete a group',
    rate: 0.15,
    run: async (scene) => {
      const { groups, deleted } = scene.ledger;
      const kept = groups.free > FEW ? groups.take() : undefined;
      if (kept === undefined) return;
      // Without an answer nobody knows what became of it.
      await administrator(scene).group.delete(byId(kept));
      deleted.push(kept.name);
    },
  },
  {
    name: 'apply, and be judged',
    rate: 0.1,
    run: (scene) =>
      scene.closedGroups.lend(async (group_id) => {
        const params = { group_id };
        const { castellan } = pick(scene, scene.people);
        let application_id = '';
        const applied = await unlessRefused(409, async () => {
          const body = { message: 'I know the way.', answers: ['Since 2019.'] };
          ({ application_id } = await castellan.group.apply({ params, body }));
        });
        const which = { params: { application_id } };
        if (!applied) {
          await castellan.application.list();
        } else if (scene.random() < 0.3) {
          await castellan.application.withdraw(which);
        } else {
          await administrator(scene).group.applications({ params, query: { state: 'pending' } });
          const decision = scene.random() < 0.5 ? 'approved' : 'rejected';
          await administrator(scene).application.decide({ ...which, body: { decision } });
          if (decision === 'approved') await castellan.group.leave({ params });
        }
      }),
  },
];
