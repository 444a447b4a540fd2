import fc from 'fast-check';
import { expect } from 'vitest';
import { ok } from '../../../sdk/src/index.ts';
import { inTransaction } from '../../../server/database/transaction.ts';
import type { ProviderSnapshot } from '../../../server/registry/provider-snapshot.ts';
import { saveSnapshot } from '../../../server/registry/save-snapshot.ts';
import { makeGuest } from '../../../server/sign-in/sign-in.queries.ts';
import { followStandings } from '../../../server/standing/told.ts';
import { makeToken, uuidOf } from '../../fixtures/users.ts';
import type { Client, TestApp } from '../app.ts';
import { follow, headOf, nothing, present } from '../replay.ts';
import { apply, caller, characterAt } from './apply.ts';
import { type By, type Command, sequences } from './commands.ts';
import { coalitionRecord, groupRecord, inListOrder, userRecord } from './records.ts';
import { type ModelGroup, mayUseTokens, newWorld, userNamed, type World } from './world.ts';

/** Runs random sequences against the service and the model; throws the smallest one that tells them apart. */
export async function compareWithModel(
  app: TestApp,
  sequencesToRun: number,
  progress: (done: number) => void = () => undefined,
): Promise<void> {
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
}

const UNKNOWN = '0123456789abcdef01234567';
const SECOND = 1_000;

class Run {
  readonly #app: TestApp;
  #world: World = newWorld();
  #dyn = '';
  /** What was told since the registry was empty. */
  #told = nothing();
  #since = 0;
  /** Some call with permanent tokens, the others with user tokens. */
  readonly #sessions = new Map<number, Client>();
  readonly #groupIds = new WeakMap<ModelGroup, string>();

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

  /** An empty registry, then the bodies that the model starts with. */
  async #begin(): Promise<void> {
    const { db } = this.#app;
    this.#world = newWorld();
    this.#sessions.clear();
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
    const { group, coalitionId } = this.#named(command);
    const groupId = group === undefined ? UNKNOWN : await this.#idOf(group);
    const asked =
      'by' in command && caller(this.#world, command.by) !== undefined
        ? await this.#ask(command.by, command, coalitionId, groupId)
        : undefined;
    const { coalition_id: newId } = (asked?.body ?? {}) as { coalition_id: string };
    const expected = apply(this.#world, command, newId);
    if (!('by' in command)) await this.#happen(command);
    await this.#openSessions();
    if (expected === undefined || asked === undefined) return;
    expect(asked.status, JSON.stringify(asked.body)).toBe(expected.status);
    if (expected.coalition)
      expect(asked.body).toMatchObject(coalitionRecord(this.#world, expected.coalition));
    if (expected.group) expect(asked.body).toMatchObject(groupRecord(this.#world, expected.group));
    if (expected.user) expect(asked.body).toMatchObject(userRecord(this.#world, expected.user));
  }

  /** The record that a command names by its place, as it is before the command. */
  #named(command: Command): { group: ModelGroup | undefined; coalitionId: string } {
    const which = 'which' in command ? command.which : -1;
    const group = command.do.endsWith('group') ? this.#world.groups[which] : undefined;
    return { group, coalitionId: this.#world.coalitions[which]?.id ?? UNKNOWN };
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

  async #ask(
    by: By,
    command: Extract<Command, { readonly by: By }>,
    coalition_id: string,
    group_id: string,
  ): Promise<{ status: number; body: unknown }> {
    const client =
      by === 'root' ? this.#app.client(this.#app.root) : (this.#sessions.get(characterAt(by).id) as Client);
    switch (command.do) {
      case 'create coalition':
        return client.coalition.create({ body: { coalition_name: command.name, ticker: 'NEW' } });
      case 'update coalition':
        return client.coalition.update({ params: { coalition_id }, body: command.body as object });
      case 'delete coalition':
        return client.coalition.delete({ params: { coalition_id } });
      case 'create group':
        return client.group.create({ body: { group_name: command.name } });
      case 'update group':
        return client.group.update({ params: { group_id }, body: command.body as object });
      case 'delete group':
        return client.group.delete({ params: { group_id } });
      case 'set level': {
        const params = { character_id: characterAt(command.character).id };
        return client.user.update({ params, body: { clearance_level: command.level } });
      }
      case 'delete user':
        return client.user.delete({ params: { character_id: characterAt(command.character).id } });
    }
  }

  /** Tells the service what the model has just been told: after it, so that bodies are found as they are now. */
  async #happen(command: Exclude<Command, { readonly by: By }>): Promise<void> {
    const { db, clock } = this.#app;
    if (command.do === 'invite') {
      const { id, name } = characterAt(command.character);
      const guest = { characterId: id, characterName: name, host: command.corporation };
      return inTransaction(db, (tx) =>
        followStandings(tx, { users: [id] }, clock.now(), () => makeGuest(tx, guest, clock.now())),
      );
    }
    if (command.do === 'find character') {
      const { id, name } = characterAt(command.character);
      return this.#find({
        characters: [{ character_id: id, character_name: name, corporation_id: command.corporation }],
      });
    }
    return command.do === 'find corporation'
      ? this.#find({ corporations: [this.#corporation(command.corporation)] })
      : this.#find({
          alliances: [this.#alliance(command.alliance)],
          corporations: [this.#corporation(command.executor)],
        });
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

  /** Tokens for whoever came; those of the deleted went with them. */
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

  /** Every list and every record that can be read, and who may sign in. */
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
      }),
    ]);
  }
}
