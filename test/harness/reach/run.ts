import fc from 'fast-check';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { ok } from '../../../sdk/src/index.ts';
import { soleId } from '../../../server/person/person-id.ts';
import { makeToken, uuidOf } from '../../fixtures/users.ts';
import type { Client, TestApp } from '../app.ts';
import { CHARACTERS, type ModelUser, mayRaise, mayTouch, mayUseTokens, type World } from '../model/world.ts';
import { type Plan, plans, type Try } from './plan.ts';
import { groupId, settle } from './settle.ts';

/** The number of successful calls by kind: a run in which nothing succeeds would prove nothing. */
export type Successes = Record<Try['do'], number>;

/**
 * Runs random plans against the service. Throws the smallest plan after which the gang may read or change a user whom
 * it could not read or change before, or has changed whom a coalition bars.
 */
export async function checkReach(
  app: TestApp,
  plansToRun: number,
  progress: (done: number) => void = () => undefined,
): Promise<Successes> {
  const successes: Successes = {
    ...{ 'update coalition': 0, 'update group': 0, 'set level': 0, link: 0 },
    ...{ 'set policy': 0, 'join group': 0, 'leave group': 0 },
  };
  let done = 0;
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      await new Run(app, plan, successes).check();
      done += 1;
      progress(done);
    }),
    { numRuns: plansToRun, endOnFailure: false },
  );
  return successes;
}

type Mode = 'read' | 'write';
const MODES: readonly Mode[] = ['read', 'write'];

class Run {
  readonly #app: TestApp;
  readonly #plan: Plan;
  readonly #successes: Successes;
  readonly #clients = new Map<number, Client>();

  constructor(app: TestApp, plan: Plan, successes: Successes) {
    this.#app = app;
    this.#plan = plan;
    this.#successes = successes;
  }

  async check(): Promise<void> {
    await this.#settle();
    const barred = await this.#barred();
    for (const mode of MODES) expect(await this.#reach(mode), `before: ${mode}`).toEqual(this.#known(mode));
    for (const one of this.#plan.tries) await this.#attempt(one);
    for (const mode of MODES) {
      const given = this.#given(mode);
      const gained = (await this.#reach(mode)).filter((id) => !given.has(id));
      expect(gained, `gained: ${mode}`).toEqual([]);
    }
    // Only level 9 may change whom a coalition bars (D14).
    expect(await this.#barred()).toEqual(barred);
  }

  get #gang(): ModelUser[] {
    return this.#plan.gang.map((id) => this.#plan.world.users.get(id) as ModelUser);
  }

  /** Creates the registry of a plan, and tokens for the gang. */
  async #settle(): Promise<void> {
    await settle(this.#app, this.#plan.world);
    for (const [first, ...others] of this.#plan.persons) {
      for (const other of others) await this.#merge(first as number, other);
    }
    if (this.#plan.opened) {
      const params = { group_id: groupId(1) };
      await ok(this.#app.client(this.#app.root).group.setPolicy({ params, body: { joining: 'open' } }));
    }
    for (const { id } of this.#gang) {
      const { jwt } = await makeToken(this.#app, 'per', id, uuidOf(this.#app.root));
      this.#clients.set(id, this.#app.client(jwt));
    }
  }

  /** Links characters as level 9 does by merging persons, which must not extend anybody's authority (D100). */
  async #merge(first: number, other: number): Promise<void> {
    const { person } = this.#app.client(this.#app.root);
    const into = await ok(
      this.#app.client(this.#app.root).user.person({ params: { character: String(first) } }),
    );
    const body = { person_id: soleId(other), reason: 'planned' };
    await ok(person.merge({ params: { person_id: into.person_id }, body }));
  }

  async #attempt(one: Try): Promise<void> {
    const by = this.#plan.gang[one.by % this.#plan.gang.length] as number;
    const { status } = await this.#ask(by, this.#clients.get(by) as Client, one);
    if (status === 200 || status === 201) this.#successes[one.do] += 1;
    else expect([401, 403, 404, 409, 422]).toContain(status);
  }

  async #ask(by: number, client: Client, one: Try): Promise<{ status: number }> {
    switch (one.do) {
      case 'link': {
        const dyn = await makeToken(this.#app, 'dyn', 0, uuidOf(this.#app.root));
        const token = await makeToken(this.#app, 'use', by, dyn.uuid);
        const proof = await makeToken(this.#app, 'use', CHARACTERS[one.character]?.id ?? 0, dyn.uuid);
        return this.#app.client(token.jwt).person.link({ body: { user_token: proof.jwt } });
      }
      case 'update coalition': {
        const coalition_id = this.#plan.world.coalitions[one.which]?.id ?? '';
        return client.coalition.update({ params: { coalition_id }, body: one.body as object });
      }
      case 'update group':
        return client.group.update({ params: { group_id: groupId(one.which) }, body: one.body as object });
      case 'set policy':
        return client.group.setPolicy({ params: { group_id: groupId(one.which) }, body: one.body });
      case 'join group':
        return client.group.apply({ params: { group_id: groupId(one.which) } });
      case 'leave group':
        return client.group.leave({ params: { group_id: groupId(one.which) } });
      case 'set level': {
        const character_id = CHARACTERS[one.character]?.id ?? 0;
        return client.user.update({ params: { character_id }, body: { clearance_level: one.level } });
      }
    }
  }

  /** The users whom a member of the gang may read or change, as the service answers. */
  async #reach(mode: Mode): Promise<number[]> {
    const levels = await this.#app.db
      .selectFrom('users')
      .select(['character_id', 'clearance_level'])
      .execute();
    const found = await Promise.all(
      this.#gang.flatMap(({ id: by }) =>
        levels.map(async ({ character_id, clearance_level }) => {
          const client = this.#clients.get(by) as Client;
          if (character_id === 0 || character_id === by) return [];
          const params = { character_id };
          const { status } =
            mode === 'read'
              ? await client.history.skillPoints({ params })
              : await client.user.update({ params, body: { clearance_level: Math.max(clearance_level, 0) } });
          return status === 200 ? [character_id] : [];
        }),
      ),
    );
    return sorted(found.flat());
  }

  /** The same before any call, computed from the rules. */
  #known(mode: Mode): number[] {
    const { world } = this.#plan;
    const reached = this.#gang
      .filter((by) => by.level >= 0 && mayUseTokens(world, by))
      .flatMap((by) =>
        others(world, by).filter((target) =>
          mode === 'read' ? mayTouch(world, by, target, mode) : mayRaise(world, by, target, target.level),
        ),
      );
    return sorted(reached.map(({ id }) => id));
  }

  /**
   * The authority that levels 8 and above have given the gang: the users within reach of each at its own level, or at
   * the level to which another member of the gang may raise it (D16). Login permission is ignored, because owners of
   * groups decide about it (D15).
   */
  #given(mode: Mode): Set<number> {
    const { world } = this.#plan;
    const gang = this.#gang;
    const raised = gang.map((user) => {
      const levels = gang.filter((by) => mayRaise(world, by, user, by.level)).map(({ level }) => level);
      return { ...user, level: Math.max(user.level, ...levels) };
    });
    const reached = raised.flatMap((by) => others(world, by).filter((to) => mayTouch(world, by, to, mode)));
    return new Set(reached.map(({ id }) => id));
  }

  /** The users whom a coalition bars from logging in, by the database. */
  async #barred(): Promise<number[]> {
    const { rows } = await sql<{ character_id: number }>`
      select distinct character_id from users join coalition_reach using (corporation_id)
        join coalitions using (coalition_id)
      where not authorized_to_login order by 1`.execute(this.#app.db);
    return rows.map(({ character_id }) => character_id);
  }
}

const sorted = (ids: readonly number[]) => [...new Set(ids)].sort((a, b) => a - b);
const others = ({ users }: World, by: ModelUser) =>
  [...users.values()].filter(({ id }) => id !== 0 && id !== by.id);
