import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { admitUser } from '../fixtures/registry.ts';
import { addUser } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { madeAnswer } from '../harness/provider.ts';

/** Of the provider's records, each up to an hour old by itself, one is older than what is known already (facts §2). */
const [LEFT, JOINED] = [99_000_001, 99_000_002];
/** The executor of the former alliance. */
const MOVED = 98_000_001;
const MEMBER = 2_120_000_001;
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

describe("D19: an alliance's record that still names an executor that has left", () => {
  let neighbour: number;
  beforeAll(async () => {
    const { world } = app.provider;
    neighbour = world.corporationsOf(LEFT).find((id) => id !== MOVED) as number;
    await register(MOVED);
    world.moveCorporation(MOVED, JOINED);
    app.clock.advance(AN_HOUR_AND_MORE);
    expect((await register(MOVED)).alliance?.alliance_id).toBe(JOINED);
    await addUser(app, { id: MEMBER, level: 4, corporation: MOVED });
    stale[`/alliances/${LEFT}`] = { executor_corporation_id: MOVED };
  });

  it.each([
    ['POST /alliance/{id}', () => root.alliance.register({ params: { alliance_id: LEFT } })],
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
    const stored = await ok(root.corporation.get({ params: { corporation_id: MOVED } }));
    expect(stored.alliance?.alliance_id).toBe(JOINED);
    expect(await user(MEMBER)).toMatchObject({ alliance: JOINED, clearance_level: 4 });
  });
});

describe("D19: a corporation's record that still names a CEO who has left", () => {
  /** A corporation whose CEO the sync has moved to another one since, where somebody gave it level 5. */
  async function ceoElsewhere(n: number): Promise<{ from: number; to: number; ceo: number }> {
    const alone = app.provider.world.corporations.filter(
      ({ npc, id, allianceId }) => !npc && id > MOVED && allianceId === null,
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
