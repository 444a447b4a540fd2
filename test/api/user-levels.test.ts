import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ok } from '../../sdk/src/index.ts';
import { rootToken } from '../../server/token/root-token.ts';
import { setLevel } from '../fixtures/registry.ts';
import { addCoalition, addOrganizations, addUser, makeToken, uuidOf } from '../fixtures/users.ts';
import { type Client, startTestApp, type TestApp } from '../harness/app.ts';
import { INSUFFICIENT, needs, noAuthority } from '../harness/refusals.ts';

/** Corporations at each distance from a member of the first (D11). */
const AT = { 1: 98_500_001, 3: 98_500_002, 5: 98_500_003, 7: 98_500_004 } as const;
type Distance = keyof typeof AT;
const FORBIDDEN = { status: 403, body: { detail: INSUFFICIENT } };

let app: TestApp;
let lastId = 2_160_000_000;

beforeAll(async () => {
  app = await startTestApp({ connections: 8 });
  await addOrganizations(app, [
    { alliance: 99_500_001, corporations: [AT[1], AT[3]] },
    { corporations: [AT[5]] },
    { corporations: [AT[7]] },
  ]);
  await addCoalition(app, 'c5'.repeat(12), { alliances: [99_500_001], corporations: [AT[5]] });
});
afterAll(() => app.stop());

interface Person {
  readonly id: number;
  readonly client: Client;
}

async function person(level: number, distance: Distance = 1): Promise<Person> {
  const id = ++lastId;
  await addUser(app, { id, level, corporation: AT[distance] });
  const { jwt } = await makeToken(app, 'per', id, uuidOf(app.root));
  return { id, client: app.client(jwt) };
}

function set({ client }: Pick<Person, 'client'>, target: number, clearance_level?: number | null) {
  return client.user.update({
    params: { character_id: target },
    ...(clearance_level !== undefined && { body: { clearance_level } }),
  });
}

async function levelOf(id: number): Promise<number> {
  const row = await app.db
    .selectFrom('users')
    .select('clearance_level')
    .where('character_id', '=', id)
    .executeTakeFirstOrThrow();
  return row.clearance_level;
}

/** D16 as a table of reasons, independent of the service's code. */
function allowed(caller: number, distance: number, present: number, next: number): boolean {
  if (distance === 0) return false;
  if (present === -1) return false;
  if (next > caller || present > caller) return false;
  if (caller <= distance) return false;
  return next >= present || caller >= 9;
}

describe('D16: setting the clearance level of a user', () => {
  it.each([1, 3, 5, 7] as const)('at distance %i: exactly what the rule allows', async (distance) => {
    const wrong: string[] = [];
    const tryAll = async (level: number) => {
      const [caller, target] = [await person(level), await person(0, distance)];
      for (const present of [0, 4, 9]) {
        for (const next of [0, 4, 9]) {
          await setLevel(app, target.id, present);
          const answer = await set(caller, target.id, next);
          const fits = allowed(level, distance, present, next)
            ? answer.status === 200 && answer.body.clearance_level === next
            : answer.status === 403 && (await levelOf(target.id)) === present;
          if (!fits) wrong.push(`${level} sets ${present} to ${next}: ${answer.status}`);
        }
      }
    };
    await Promise.all([distance, distance + 1, 9].map(tryAll));
    expect(wrong).toEqual([]);
  });

  it('D5: a refusal says what is missing', async () => {
    const [eight, target, distant] = [await person(8), await person(5), await person(0, 7)];
    const detail = async (by: Person, id: number, level: number) => (await set(by, id, level)).body;
    expect(await detail(eight, target.id, 4)).toEqual({
      detail: needs(9, 8, 'setting level 5 to 4'),
      code: 'level_too_low',
    });
    expect(await detail(eight, target.id, 9)).toEqual({
      detail: needs(9, 8, 'setting level 5 to 9'),
      code: 'level_too_low',
    });
    const over = `user ${distant.id}`;
    expect(await detail(await person(6), distant.id, 1)).toEqual({
      detail: noAuthority('write', over),
      code: 'no_authority',
    });
    const own = 'Insufficient clearance level: nobody sets their own level.';
    expect(await detail(eight, eight.id, 1)).toEqual({ detail: own, code: 'forbidden_to_all' });
    const builtIn = 'Insufficient clearance level: nobody changes the built-in user.';
    expect(await detail(eight, 0, 1)).toEqual({ detail: builtIn, code: 'forbidden_to_all' });
  });

  it('answers with the User as it is now, and its time of change', async () => {
    const [caller, target] = [await person(9), await person(0)];
    app.clock.advance(60_000);
    const answer = await set(caller, target.id, 3);
    expect(answer).toMatchObject({ status: 200, body: { character_id: target.id, clearance_level: 3 } });
    if (answer.status !== 200) return;
    expect(Date.parse(answer.body.updated_on)).toBeGreaterThan(Date.parse(answer.body.created_on));
    // The same level again is no change.
    app.clock.advance(60_000);
    expect(await set(caller, target.id, 3)).toMatchObject({ body: { updated_on: answer.body.updated_on } });
  });

  it.each([undefined, null])('without a level in the body (%j): 200, nothing changed', async (level) => {
    const [caller, target] = [await person(0), await person(5, 7)];
    expect(await set(caller, target.id, level)).toMatchObject({ status: 200, body: { clearance_level: 5 } });
  });

  it('nobody sets their own level, neither up nor down', async () => {
    for (const level of [0, 9, 10]) {
      const caller = await person(level);
      for (const next of [0, level, 10]) expect(await set(caller, caller.id, next)).toMatchObject(FORBIDDEN);
    }
  });

  it('nor by a user token of a permanent token of their own (D23)', async () => {
    const { id } = await person(10);
    const own = app.client(await rootToken(app.app.services, id));
    const around = app.client((await ok(own.token.createUserToken())).user_token);
    expect((await ok(around.token.current())).owner.character_id).not.toBe(id);
    for (const next of [4, 10]) {
      expect(await set({ client: around }, id, next)).toMatchObject({
        status: 403,
        body: { code: 'forbidden_to_all' },
      });
    }
    expect(await levelOf(id)).toBe(10);
    expect(await set({ client: around }, (await person(0)).id, 4)).toMatchObject({ status: 200 });
  });

  it("nobody sets a guest's level, not even superusers", async () => {
    const id = ++lastId;
    await addUser(app, { id, level: -1, corporation: AT[1] });
    for (const next of [0, 5]) expect(await set(await person(10), id, next)).toMatchObject(FORBIDDEN);
    expect(await levelOf(id)).toBe(-1);
  });

  it('nobody changes the built-in user', async () => {
    for (const client of [app.client(app.root), (await person(10)).client]) {
      for (const next of [0, 10]) expect(await set({ client }, 0, next)).toMatchObject(FORBIDDEN);
    }
    expect(await levelOf(0)).toBe(10);
  });

  it.each([-1, 11, 1.5, '3'])('the new level %j is a 422', async (level) => {
    const target = await person(0);
    expect(await set(await person(10), target.id, level as number)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'clearance_level'] }] },
    });
  });

  it('D6, D16: a level above the own one is a 403, whether or not the user exists', async () => {
    const refusal = { status: 403, body: { detail: needs(7, 6, 'setting level 7') } };
    expect(await set(await person(6), 4_000_000_000, 7)).toMatchObject(refusal);
  });

  it('D6: a user that does not exist is a 404', async () => {
    expect(await set(await person(10), 4, 3)).toMatchObject({
      status: 404,
      body: { detail: 'Could not find user 4' },
    });
  });
});

describe('D16, D23: during the demotion of a user', () => {
  /** Whether a statement of the service waits for a lock. */
  async function somebodyWaits(): Promise<void> {
    const waiting = sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await waiting.execute(app.db)).rows).not.toEqual([]);
  }

  it('a raise that waits for the demotion of its caller is refused', async () => {
    const [caller, target] = [await person(9), await person(0)];
    const raise = await app.db.transaction().execute(async (tx) => {
      await tx
        .updateTable('users')
        .set({ clearance_level: 0 })
        .where('character_id', '=', caller.id)
        .execute();
      const waiting = set(caller, target.id, 9);
      await somebodyWaits();
      return { answer: waiting };
    });
    expect(await raise.answer).toMatchObject(FORBIDDEN);
    expect(await levelOf(target.id)).toBe(0);
  });

  it('so is one with a user token of the built-in user, whose sponsor is being demoted', async () => {
    const [sponsor, target] = [await person(9), await person(0)];
    const per = await rootToken(app.app.services, sponsor.id);
    const { jwt } = await makeToken(app, 'use', 0, uuidOf(per));
    const raise = await app.db.transaction().execute(async (tx) => {
      await tx
        .updateTable('users')
        .set({ clearance_level: 0 })
        .where('character_id', 'in', [sponsor.id, target.id])
        .execute();
      const waiting = set({ client: app.client(jwt) }, target.id, 9);
      await somebodyWaits();
      return { answer: waiting };
    });
    expect(await raise.answer).toMatchObject(FORBIDDEN);
    expect(await levelOf(target.id)).toBe(0);
  });

  it('so is the deletion of a user', async () => {
    const [caller, target] = [await person(9), await person(0)];
    const deletion = await app.db.transaction().execute(async (tx) => {
      await tx
        .updateTable('users')
        .set({ clearance_level: 0 })
        .where('character_id', '=', caller.id)
        .execute();
      const waiting = caller.client.user.delete({ params: { character_id: target.id } });
      await somebodyWaits();
      return { answer: waiting };
    });
    expect(await deletion.answer).toMatchObject(FORBIDDEN);
    expect(await levelOf(target.id)).toBe(0);
  });
});

describe('32 parallel changes of levels', () => {
  interface Change {
    readonly by: number;
    readonly of: number;
    readonly next: number;
    readonly status: number;
  }

  /**
   * Is there an order of the successful changes that leads from `start` to `end`, each allowed when its turn
   * comes, with every refusal justified by one of the states on the way?
   */
  function serial(start: readonly number[], end: readonly number[], changes: readonly Change[]): boolean {
    const permitted = (levels: readonly number[], { by, of, next }: Change) =>
      allowed(levels[by] as number, by === of ? 0 : 1, levels[of] as number, next);
    const seen = new Set<string>();
    const search = (
      levels: readonly number[],
      left: readonly Change[],
      refused: readonly Change[],
    ): boolean => {
      const unexplained = refused.filter((change) => permitted(levels, change));
      if (left.length === 0) return unexplained.length === 0 && levels.join() === end.join();
      const key = `${levels}|${left.map((change) => changes.indexOf(change))}|${unexplained.length}`;
      if (seen.has(key)) return false;
      seen.add(key);
      return left.some((change) => {
        if (!permitted(levels, change)) return false;
        const after = levels.map((level, who) => (who === change.of ? change.next : level));
        return search(
          after,
          left.filter((other) => other !== change),
          unexplained,
        );
      });
    };
    return search(
      start,
      changes.filter(({ status }) => status === 200),
      changes.filter(({ status }) => status === 403),
    );
  }

  it('the reference distinguishes serial outcomes from others', () => {
    const up = { by: 0, of: 1, next: 9, status: 200 };
    const down = { by: 1, of: 0, next: 0, status: 200 };
    expect(serial([9, 9], [0, 9], [down])).toBe(true);
    expect(serial([9, 9], [0, 0], [down, { ...down, by: 0, of: 1 }])).toBe(false);
    expect(serial([9, 8], [9, 9], [up, { ...down, status: 403 }])).toBe(true);
    expect(serial([9, 9], [9, 9], [up, { ...down, status: 403 }])).toBe(false);
  });

  it.each([1, 2, 3, 4, 5])('end in a state that some serial order gives (round %i)', async (round) => {
    const start = [9, 9, 9, 8, 5, 0];
    const people = await Promise.all(start.map((level) => person(level)));
    const planned = Array.from({ length: 32 }, (_, index) => ({
      by: (index * 7 + round) % 6,
      of: (index * 5 + round * index + 1) % 6,
      next: (index * 3 + round) % 3 === 0 ? 0 : 9 - ((index + round) % 3),
    }));
    const changes = await Promise.all(
      planned.map(async ({ by, of, next }): Promise<Change> => {
        const { status } = await set(people[by] as Person, (people[of] as Person).id, next);
        return { by, of, next, status };
      }),
    );
    expect(changes.filter(({ status }) => status !== 200 && status !== 403)).toEqual([]);
    const end = await Promise.all(people.map(({ id }) => levelOf(id)));
    expect(serial(start, end, changes), JSON.stringify({ start, end, changes })).toBe(true);
  });
});
