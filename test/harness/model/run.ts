import fc from 'fast-check';
import { expect } from 'vitest';
import { type Application, ok, type PreviewChange } from '../../../sdk/src/index.ts';
import { judgeMemberships } from '../../../server/application/judge-memberships.ts';
import { inTransaction } from '../../../server/database/transaction.ts';
import type { ProviderSnapshot } from '../../../server/registry/provider-snapshot.ts';
import { saveSnapshot } from '../../../server/registry/save-snapshot.ts';
import { noticeHandover } from '../../../server/sign-in/notice-handover.ts';
import { makeGuest, recordSignIn } from '../../../server/sign-in/sign-in.queries.ts';
import { followStandings } from '../../../server/standing/standing-events.ts';
import { makeToken, uuidOf } from '../../fixtures/users.ts';
import type { Client, TestApp } from '../app.ts';
import { follow, headOf, nothing, present } from '../replay.ts';
import { testRun } from '../run.ts';
import { changesOf } from '../standings.ts';
import { apply, caller, characterAt, presentOwner } from './apply.ts';
import { type Answer, type Asking, ask } from './ask.ts';
import { type Command, sequences } from './commands.ts';
import { moderates, shownOf } from './eligibility.ts';
import { joinableBy, stateOf } from './joining.ts';
import { charactersOf, personOf } from './persons.ts';
import { coalitionRecord, groupRecord, inListOrder, policyRecord, userRecord } from './records.ts';
import type { By } from './steps.ts';
import { type ModelGroup, type ModelUser, mayUseTokens, newWorld, userNamed, type World } from './world.ts';

/** Runs random sequences against service and model; throws the smallest sequence for which they differ. */
export async function compareWithModel(
  app: TestApp,
  sequencesToRun: number,
  progress: (done: number) => void = () => undefined,
): Promise<Successes> {
  const run = new Run(app);
  let done = 0;
  await fc.assert(
    fc.asyncProperty(sequences, async (commands) => {
      await run.sequence(commands);
      done += 1;
      progress(done);
    }),
    { numRuns: sequencesToRun, endOnFailure: false },
  );
  return run.successes;
}

/** How often each step succeeded: a run in which nothing succeeds would prove nothing. */
export type Successes = Partial<Record<Command['do'], number>>;

const SECOND = 1_000;

class Run {
  readonly #app: TestApp;
  #world: World = newWorld();
  #dyn = '';
  /** The feed's state since the registry was empty. */
  #told = nothing();
  #since = 0;
  /** Some users call with permanent tokens, the others with user tokens. */
  readonly #sessions = new Map<number, Client>();
  readonly #groupIds = new WeakMap<ModelGroup, string>();
  readonly successes: Successes = {};

  constructor(app: TestApp) {
    this.#app = app;
  }

  async sequence(commands: readonly Command[]): Promise<void> {
    await this.#begin();
    for (const command of commands) await this.#step(command);
    await this.#compare();
    await follow(this.#app, this.#told, this.#since);
    expect(this.#told, 'what the events tell').toEqual(await present(this.#app));
  }

  /** Empties the registry, then creates the organizations that the model starts with. */
  async #begin(): Promise<void> {
    const { db } = this.#app;
    this.#world = newWorld();
    this.#sessions.clear();
    await db.deleteFrom('persons').execute();
    await db.deleteFrom('groups').execute();
    await db.deleteFrom('coalitions').execute();
    await db.deleteFrom('users').where('character_id', '!=', 0).execute();
    this.#told = nothing();
    this.#since = await headOf(this.#app);
    this.#dyn ||= (await makeToken(this.#app, 'dyn', 0, uuidOf(this.#app.root))).uuid;
    await this.#find({
      alliances: [...this.#world.alliances.values()].map(({ id }) => this.#alliance(id)),
      corporations: [...this.#world.corporations.values()].map(({ id }) => this.#corporation(id)),
    });
  }

  async #step(command: Command): Promise<void> {
    this.#app.clock.advance(SECOND);
    const made = 'by' in command && caller(this.#world, command) !== undefined;
    const asked = made ? await ask(this.#asking, command) : undefined;
    const expected = apply(this.#world, command, idIn(asked));
    if (!('by' in command)) await this.#happen(command);
    await this.#openSessions();
    if (asked === undefined) return;
    if (asked.status < 300) this.successes[command.do] = (this.successes[command.do] ?? 0) + 1;
    if (expected === undefined) throw new Error('nobody could have asked this');
    expect(asked.status, JSON.stringify(asked.body)).toBe(expected.status);
    if (expected.coalition)
      expect(asked.body).toMatchObject(coalitionRecord(this.#world, expected.coalition));
    if (expected.group) expect(asked.body).toMatchObject(groupRecord(this.#world, expected.group));
    if (expected.user) expect(asked.body).toMatchObject(userRecord(this.#world, expected.user));
    if (expected.application) expect(asked.body).toMatchObject({ state: expected.application.state });
    if (expected.changes) {
      const { changes } = asked.body as { changes: PreviewChange[] };
      expect(changesOf(changes)).toEqual(expected.changes);
    }
  }

  async #idOf(group: ModelGroup): Promise<string> {
    const known = this.#groupIds.get(group);
    if (known !== undefined) return known;
    const list = await ok(this.#app.client(this.#app.root).group.list());
    const found = list.find(({ group_name }) => group_name === group.name);
    if (found === undefined) throw new Error(`the service has no group ${group.name}`);
    this.#groupIds.set(group, found.group_id);
    return found.group_id;
  }

  get #asking(): Asking {
    return {
      app: this.#app,
      world: this.#world,
      dyn: this.#dyn,
      clientOf: (by) => this.#clientOf(by),
      idOf: (group) => this.#idOf(group),
    };
  }

  #clientOf(by: By): Client {
    if (by === 'root') return this.#app.client(this.#app.root);
    return this.#sessions.get(characterAt(by).id) as Client;
  }

  /** Applies a change in the game to the service, after the model, so that it finds the new state. */
  async #happen(command: Exclude<Command, { readonly by: By }>): Promise<void> {
    const { db, clock } = this.#app;
    if (command.do === 'wait') {
      clock.advance(command.hours * 3_600 * SECOND);
      // User tokens last a day.
      return this.#sessions.clear();
    }
    if (command.do === 'judge') {
      await judgeMemberships(this.#app.app.services, testRun('judge-memberships', { force: true }));
      return;
    }
    if (command.do === 'sign in') return this.#signIn(characterAt(command.character), command.owner);
    if (command.do === 'invite') {
      const { id, name } = characterAt(command.character);
      const guest = { characterId: id, characterName: name, host: command.corporation };
      return inTransaction(db, (tx) =>
        followStandings(tx, { users: [id] }, clock.now(), () => makeGuest(tx, guest, clock.now())),
      );
    }
    if (command.do === 'find character') {
      const { id, name } = characterAt(command.character);
      await this.#find({
        characters: [{ character_id: id, character_name: name, corporation_id: command.corporation }],
      });
      if (command.signsIn) await this.#signIn({ id, name }, presentOwner(this.#world, id));
      return;
    }
    return command.do === 'find corporation'
      ? this.#find({ corporations: [this.#corporation(command.corporation)] })
      : this.#find({
          alliances: [this.#alliance(command.alliance)],
          corporations: [this.#corporation(command.executor)],
        });
  }

  /** The state after a sign-in: the character's owner; with a new one its tokens are gone. */
  async #signIn({ id, name }: { readonly id: number; readonly name: string }, owner: string): Promise<void> {
    const { app, db, clock } = this.#app;
    const identity = { characterId: id, characterName: name, ownerHash: owner };
    await noticeHandover(app.services, identity);
    await recordSignIn(db, id, owner, clock.now());
    this.#sessions.delete(id);
  }

  async #find(found: Partial<ProviderSnapshot>): Promise<void> {
    const snapshot = { alliances: [], corporations: [], characters: [], ...found };
    await inTransaction(this.#app.db, (tx) => saveSnapshot(tx, snapshot, this.#app.clock.now()));
  }

  #corporation(id: number): ProviderSnapshot['corporations'][number] {
    const body = this.#world.corporations.get(id);
    if (body === undefined) throw new Error('unknown to the model');
    const { name: corporation_name, alliance: alliance_id, ceo: ceo_id } = body;
    return { corporation_id: id, corporation_name, ticker: 'CO', alliance_id, ceo_id, ceo_name: 'A CEO' };
  }

  #alliance(id: number): ProviderSnapshot['alliances'][number] {
    const body = this.#world.alliances.get(id);
    if (body === undefined) throw new Error('unknown to the model');
    const { name: alliance_name, executor: executor_corporation_id } = body;
    return { alliance_id: id, alliance_name, ticker: 'AL', executor_corporation_id };
  }

  /** Makes tokens for new users; those of deleted users are gone with them. */
  async #openSessions(): Promise<void> {
    for (const id of [...this.#sessions.keys()]) if (!this.#world.users.has(id)) this.#sessions.delete(id);
    for (const id of this.#world.users.keys()) {
      if (id === 0 || this.#sessions.has(id)) continue;
      const { jwt } = await (id % 2 === 0
        ? makeToken(this.#app, 'per', id, uuidOf(this.#app.root))
        : makeToken(this.#app, 'use', id, this.#dyn));
      this.#sessions.set(id, this.#app.client(jwt));
    }
  }

  /** Compares every list and record, and who may sign in. */
  async #compare(): Promise<void> {
    const root = this.#app.client(this.#app.root);
    const world = this.#world;
    const [coalitions, groups, users] = await Promise.all([
      ok(root.coalition.list()),
      ok(root.group.list()),
      ok(root.user.list()),
    ]);
    expect(coalitions).toEqual(
      inListOrder(world.coalitions).map(({ id, name }) => ({ coalition_id: id, coalition_name: name })),
    );
    const inOrder = inListOrder(world.groups.map((group) => ({ ...group, id: group.name, group })));
    expect(groups.map((group) => group.group_name)).toEqual(inOrder.map(({ name }) => name));
    const listed = inListOrder([...world.users.values()].filter((user) => user.level >= 0));
    expect(users).toEqual(listed.map(({ id, name }) => ({ character_id: id, character_name: name })));
    await Promise.all([
      ...world.coalitions.map(async (coalition) => {
        const got = await ok(root.coalition.get({ params: { coalition_id: coalition.id } }));
        expect(got).toMatchObject(coalitionRecord(world, coalition));
      }),
      ...groups.map(async (params, i) => {
        const { group } = inOrder[i] as (typeof inOrder)[number];
        expect(await ok(root.group.get({ params }))).toMatchObject(groupRecord(world, group));
      }),
      ...[...new Set([...world.users.values()].map(({ name }) => name))].map(async (character_name) => {
        const user = userNamed(world, character_name);
        if (user === undefined) throw new Error('unknown to the model');
        expect(await ok(root.user.get({ params: { character_name } }))).toMatchObject(
          userRecord(world, user),
        );
      }),
      ...[...this.#sessions].map(async ([id, client]) => {
        const user = world.users.get(id);
        if (user === undefined) throw new Error('unknown to the model');
        const status = !mayUseTokens(world, user) ? 401 : user.level < 0 ? 403 : 200;
        expect((await client.token.current()).status, `token of ${JSON.stringify(user)}`).toBe(status);
        if (status === 200) await this.#compareWhatIsSeen(user, client);
      }),
    ]);
    await this.#comparePeople();
  }

  /** Compares a user's joinable groups, the applications of its present owner, and those it may decide. */
  async #compareWhatIsSeen(user: ModelUser, client: Client): Promise<void> {
    const world = this.#world;
    const [joinable, own, decidable] = await Promise.all([
      ok(client.group.joinable()),
      ok(client.application.list()),
      ok(client.application.list({ query: { role: 'moderator' } })),
    ]);
    expect(new Map(joinable.map(({ group, may_join }) => [group.group_name, may_join]))).toEqual(
      new Map(joinableBy(world, user).map(({ group, may }) => [group.name, may])),
    );
    const { id, proven = Number.NEGATIVE_INFINITY } = user;
    const applied = world.applications.filter(({ character, made }) => character === id && made >= proven);
    expect(statesOf(own)).toEqual(new Map(applied.map((one) => [one.id, stateOf(world, one)])));
    const others = world.applications.filter(
      (one) =>
        !charactersOf(world, id).includes(one.character) &&
        stateOf(world, one) === 'pending' &&
        moderates(world, user, one.group),
    );
    expect(statesOf(decidable)).toEqual(new Map(others.map((one) => [one.id, one.state])));
  }

  /** Compares persons, policies and applications. */
  async #comparePeople(): Promise<void> {
    const root = this.#app.client(this.#app.root);
    const world = this.#world;
    for (const { id } of world.users.values()) {
      if (id === 0) continue;
      const { main, characters } = await ok(root.user.person({ params: { character: String(id) } }));
      const ids = characters.map(({ user }) => user.character_id).sort((a, b) => a - b);
      expect(ids).toEqual(charactersOf(world, id).sort((a, b) => a - b));
      expect(main?.character_id).toBe(personOf(world, id)?.main ?? id);
    }
    for (const group of world.groups) {
      if (group.of !== undefined) continue;
      const params = { group_id: await this.#idOf(group) };
      const policy = await ok(root.group.policy({ params }));
      expect(policy).toEqual(policyRecord(shownOf(group), (one) => this.#groupIds.get(one) ?? ''));
      const applied = world.applications.filter((one) => one.group === group);
      expect(statesOf(await ok(root.group.applications({ params })))).toEqual(
        new Map(applied.map((one) => [one.id, stateOf(world, one)])),
      );
    }
  }
}

/** The id of a record that an answer contains as new. */
function idIn(answer: Answer | undefined): string {
  const { application_id, coalition_id } = (answer?.body ?? {}) as Record<string, string | undefined>;
  return application_id ?? coalition_id ?? '';
}

const statesOf = (list: readonly Application[]) =>
  new Map(list.map(({ application_id, state }) => [application_id, state]));
