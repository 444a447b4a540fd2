import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { admitUser } from '../fixtures/registry.ts';
import { addUser } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { madeAnswer } from '../harness/provider.ts';

/** Of the provider's records, each up to an hour old (provider.md §2), one is older than what is known already. */
const AN_HOUR_AND_MORE = 2 * 3_600_000;

let app: TestApp;
let root: Client;
/** What the provider is made to answer otherwise, by path. */
const stale: Record<string, object> = {};
beforeAll(async () => {
  app = await startTestApp({ provider: { alliances: 7, corporations: 40, characters: 400 } });
  root = app.client(app.root);
  const { client } = app.app.services;
  const ask = client.ask.bind(client);
  Object.assign(client, {
    ask: async (request: Parameters<typeof ask>[0]) => {
      const answer = await ask(request);
      const other = stale[request.path];
      return other === undefined ? answer : madeAnswer(200, { ...(answer.data as object), ...other });
    },
  });
});
afterAll(() => app.stop());

const register = (corporation_id: number) => ok(root.corporation.register({ params: { corporation_id } }));
const user = (id: number) => ok(root.user.get({ params: { character_name: String(id) } }));

describe.each([
  ['for another one', 1, 99_000_002],
  ['for none', 3, null],
])("D19: an alliance's record that still names an executor that has left %s", (_, n, joined) => {
  /** The former alliance, and its executor with its CEO and a member. */
  const [left, moved, ceo, member] = [99_000_000 + n, 98_000_000 + n, 2_112_000_000 + n, 2_120_000_000 + n];
  let neighbour: number;
  beforeAll(async () => {
    const { world } = app.provider;
    const others = world.corporationsOf(left).filter((id) => id !== moved);
    neighbour = others.find((id) => world.membersOf(id).length > 1) as number;
    await register(moved);
    world.moveCorporation(moved, joined);
    app.clock.advance(AN_HOUR_AND_MORE);
    expect((await register(moved)).alliance?.alliance_id ?? null).toBe(joined);
    await addUser(app, { id: member, level: 4, corporation: moved });
    stale[`/alliances/${left}`] = { executor_corporation_id: moved };
  });

  it.each([
    ['POST /alliance/{id}', () => root.alliance.register({ params: { alliance_id: left } })],
    [
      'the sign-in of a member of another corporation',
      async () => {
        const pilot = app.provider.world.membersOf(neighbour)[1] as number;
        await addUser(app, { id: pilot });
        await admitUser(app, pilot);
        await app.signIn(pilot);
      },
    ],
  ])('%s neither moves the corporation back nor takes its members their levels', async (_, refresh) => {
    await refresh();
    const stored = await ok(root.corporation.get({ params: { corporation_id: moved } }));
    expect(stored.alliance?.alliance_id ?? null).toBe(joined);
    expect(await user(member)).toMatchObject({ alliance: joined, clearance_level: 4 });
    expect(await user(ceo)).toMatchObject({ clearance_level: 2 });
  });
});

it("D19: an executor whose own record is from before its alliance was founded belongs to that, with its CEO's level", async () => {
  const [alliance_id, executor, ceo] = [99_000_005, 98_000_005, 2_112_000_005];
  stale[`/corporations/${executor}`] = { alliance_id: undefined };
  await register(executor);
  expect(await user(ceo)).toMatchObject({ alliance: null, clearance_level: 2 });
  await ok(root.alliance.register({ params: { alliance_id } }));
  expect(await user(ceo)).toMatchObject({ alliance: alliance_id, clearance_level: 4 });
});

describe("D19: a corporation's record that still names a CEO who has left", () => {
  /** A corporation whose CEO the sync has moved to another one since, where somebody gave it level 5. */
  async function ceoElsewhere(n: number): Promise<{ from: number; to: number; ceo: number }> {
    const alone = app.provider.world.corporations.filter(
      ({ npc, id, allianceId }) => !npc && id > 98_000_001 && allianceId === null,
    );
    const [from = 0, to = 0] = alone.slice(2 * n).map(({ id }) => id);
    await register(to);
    const { ceo } = await register(from);
    await app.db
      .updateTable('users')
      .set({ corporation_id: to, clearance_level: 5 })
      .where('character_id', '=', ceo.character_id)
      .execute();
    return { from, to, ceo: ceo.character_id };
  }
  it('does not bring that user back: its affiliation counts', async () => {
    const { from, to, ceo } = await ceoElsewhere(0);
    const { world } = app.provider;
    world.setCeo(from, world.membersOf(from).find((id) => id !== ceo) as number);
    world.moveCharacter(ceo, to);
    app.clock.advance(AN_HOUR_AND_MORE);
    stale[`/corporations/${from}`] = { ceo_id: ceo };
    await register(from);
    expect(await user(ceo)).toMatchObject({ corporation: String(to), clearance_level: 5 });
  });

  it('a user whose affiliation says that it has come is CEO there at once', async () => {
    const { from, ceo } = await ceoElsewhere(1);
    await register(from);
    expect(await user(ceo)).toMatchObject({ corporation: String(from), clearance_level: 2 });
  });
});
