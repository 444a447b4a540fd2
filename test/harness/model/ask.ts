import type { Application } from '../../../sdk/src/index.ts';
import { makeToken } from '../../fixtures/users.ts';
import type { Client, TestApp } from '../app.ts';
import type { Command, Previewed } from './commands.ts';
import type { PeopleCommand, PolicyChange } from './people-commands.ts';
import type { By } from './steps.ts';
import { CHARACTERS, type ModelGroup, type World } from './world.ts';

const UNKNOWN = '0123456789abcdef01234567';
const NO_USER = 77;

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The caller's client, and the ids of records that commands name by index. */
export interface Asking {
  readonly app: TestApp;
  readonly world: World;
  /** The app token of everybody's sign-in. */
  readonly dyn: string;
  clientOf(by: By): Client;
  idOf(group: ModelGroup): Promise<string>;
}

/** Sends a command as a request; undefined when a user it needs does not exist. */
export async function ask(
  asking: Asking,
  command: Extract<Command, { readonly by: By }>,
): Promise<Answer | undefined> {
  const client = asking.clientOf(command.by);
  switch (command.do) {
    case 'preview': {
      const { preview } = await changing(asking, client, command.of);
      return preview();
    }
    case 'create coalition':
      return client.coalition.create({ body: { coalition_name: command.name, ticker: 'NEW' } });
    case 'create group':
      return client.group.create({ body: { group_name: command.name } });
    case 'update coalition':
    case 'delete coalition':
    case 'update group':
    case 'delete group':
    case 'set policy':
    case 'set level':
    case 'delete user': {
      const { update } = await changing(asking, client, command);
      return update();
    }
    default:
      return askOfPeople(asking, client, command);
  }
}

/** A change that supports `dry_run`. */
async function changing(
  asking: Asking,
  client: Client,
  command: Previewed,
): Promise<{ preview(): Promise<Answer>; update(): Promise<Answer> }> {
  const of = <Request>(
    operation: ((request: Request) => Promise<Answer>) & { preview(request: Request): Promise<Answer> },
    request: Request,
  ) => ({ preview: () => operation.preview(request), update: () => operation(request) });
  const coalition = (which: number) => ({ coalition_id: asking.world.coalitions[which]?.id ?? UNKNOWN });
  switch (command.do) {
    case 'update coalition':
      return of(client.coalition.update, { params: coalition(command.which), body: command.body as object });
    case 'delete coalition':
      return of(client.coalition.delete, { params: coalition(command.which) });
    case 'update group':
      return of(client.group.update, {
        params: await groupAt(asking, command.which),
        body: command.body as object,
      });
    case 'delete group':
      return of(client.group.delete, { params: await groupAt(asking, command.which) });
    case 'set policy':
      return of(client.group.setPolicy, {
        params: await groupAt(asking, command.which),
        body: await policyBody(asking, command.body),
      });
    case 'set level':
      return of(client.user.update, {
        params: { character_id: idAt(command.character) },
        body: { clearance_level: command.level },
      });
    case 'delete user':
      return of(client.user.delete, { params: { character_id: idAt(command.character) } });
  }
}

async function askOfPeople(
  asking: Asking,
  client: Client,
  command: Exclude<PeopleCommand, Previewed>,
): Promise<Answer | undefined> {
  const { app, world } = asking;
  switch (command.do) {
    case 'link': {
      if (!world.users.has(idAt(command.character))) return undefined;
      const [token, proof] = [await signedIn(asking, command.by), await signedIn(asking, command.character)];
      return app.client(token).person.link({ body: { user_token: proof } });
    }
    case 'unlink':
      return client.person.unlink({ params: { character_id: idAt(command.character) } });
    case 'choose main':
      return client.person.update({ body: { main: idAt(command.character) } });
    case 'merge': {
      const params = { person_id: await personId(asking, command.character) };
      const person_id = await personId(asking, command.other);
      return client.person.merge({ params, body: { person_id, reason: 'Seen.', dry_run: command.dry } });
    }
    case 'split': {
      const params = { person_id: await personId(asking, command.character) };
      const characters = command.leaving.map(idAt);
      return client.person.split({ params, body: { characters, reason: 'Sold.', dry_run: command.dry } });
    }
    case 'join': {
      const body = { answers: [...command.answers] };
      return client.group.apply({ params: await groupAt(asking, command.which), body });
    }
    case 'decide':
      return client.application.decide({
        params: applicationAt(asking, command.application),
        body: { decision: command.decision },
      });
    case 'withdraw':
      return client.application.withdraw({ params: applicationAt(asking, command.application) });
    case 'leave':
      return client.group.leave({ params: await groupAt(asking, command.which) });
  }
}

const idAt = (place: number) => CHARACTERS[place]?.id ?? NO_USER;

async function groupAt({ world, idOf }: Asking, place: number): Promise<{ group_id: string }> {
  const group = world.groups[place];
  return { group_id: group === undefined ? UNKNOWN : await idOf(group) };
}

const applicationAt = ({ world }: Asking, place: number): Pick<Application, 'application_id'> => ({
  application_id: world.applications[place]?.id ?? UNKNOWN,
});

/** A new user token. */
async function signedIn({ app, dyn }: Asking, place: number): Promise<string> {
  return (await makeToken(app, 'use', idAt(place), dyn)).jwt;
}

async function personId({ app }: Asking, place: number): Promise<string> {
  const { status, body } = await app
    .client(app.root)
    .user.person({ params: { character: String(idAt(place)) } });
  return status === 200 ? (body as { person_id: string }).person_id : UNKNOWN;
}

async function policyBody(asking: Asking, { eligible, moderators, ...values }: PolicyChange) {
  const groups = (places: readonly number[]) =>
    Promise.all(places.map(async (place) => (await groupAt(asking, place)).group_id));
  const { coalitions, groups_any, groups_none, ...rest } = eligible ?? {};
  const of = <T, U>(list: readonly T[] | undefined, what: (list: readonly T[]) => U) =>
    list === undefined ? undefined : what(list);
  const conditions = {
    ...rest,
    coalitions: of(coalitions, (places) =>
      places.map((place) => asking.world.coalitions[place]?.id ?? UNKNOWN),
    ),
    groups_any: await of(groups_any, groups),
    groups_none: await of(groups_none, groups),
  };
  const deciders = {
    users: of(moderators?.users, (places) => places.map(idAt)),
    groups: await of(moderators?.groups, groups),
  };
  return {
    ...values,
    ...(eligible !== undefined && { eligible: conditions }),
    ...(moderators !== undefined && { moderators: deciders }),
  } as object;
}
