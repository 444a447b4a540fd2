import { isDeepStrictEqual } from 'node:util';
import type { Event } from '../../contract/event.ts';
import { type Application, type GroupPolicy, ok } from '../../sdk/src/index.ts';
import { CLOSED } from '../../server/policy/policy.queries.ts';
import type { TestApp } from './app.ts';

/** State that is rebuilt from the feed: persons of several characters, policies and applications. */
export interface KnownPeople {
  readonly personOf: Map<number, string>;
  readonly mains: Map<string, number>;
  /** Policies, without those equal to the default. */
  readonly policies: Map<string, GroupPolicy>;
  readonly applications: Map<string, ApplicationKnown>;
}

interface ApplicationKnown {
  readonly group: string;
  readonly user: number;
  readonly state: Application['state'];
}

export const noPeople = (): KnownPeople => ({
  ...{ personOf: new Map(), mains: new Map(), policies: new Map(), applications: new Map() },
});

/** The same state as read from the tables and the API. */
export async function presentPeople({ db, client, root }: TestApp): Promise<KnownPeople> {
  const [characters, persons, policies, applications] = await Promise.all([
    db.selectFrom('person_characters').select(['character_id', 'person_id']).execute(),
    db.selectFrom('persons').select(['person_id', 'main_id']).execute(),
    db.selectFrom('group_policies').select(['group_id', 'joining']).execute(),
    db.selectFrom('applications').select(['application_id', 'group_id', 'character_id', 'state']).execute(),
  ]);
  // Events tell a policy as it is stored, whether or not it counts.
  const policy = async ({
    group_id,
    joining,
  }: Pick<GroupPolicy, 'joining'> & { readonly group_id: string }) =>
    [group_id, { ...(await ok(client(root).group.policy({ params: { group_id } }))), joining }] as const;
  return {
    personOf: new Map(characters.map((one) => [one.character_id, one.person_id])),
    mains: new Map(persons.map((one) => [one.person_id, one.main_id])),
    policies: new Map((await Promise.all(policies.map(policy))).filter(([, stored]) => !isUsual(stored))),
    applications: new Map(
      applications.map(({ application_id, group_id: group, character_id: user, state }) => [
        application_id,
        { group, user, state },
      ]),
    ),
  };
}

/** Applies one event, as docs/events.md tells followers to. */
export function learnOfPeople(known: KnownPeople, { type, targets, changes, cause }: Event): void {
  const { personOf, mains, policies, applications } = known;
  const id = (kind: string) => targets.find((target) => target.type === kind)?.id ?? '';
  const after = (field: string) => {
    const change = changes.find((one) => one.field === field);
    return change !== undefined && 'after' in change ? change.after : undefined;
  };
  const user = Number(id('user'));
  switch (type) {
    case 'person.character_linked':
      personOf.set(user, String(after('person_id')));
      forgetEmpty(known);
      break;
    case 'person.character_unlinked':
      personOf.delete(user);
      forgetEmpty(known);
      break;
    case 'person.main_changed':
      mains.set(id('person'), Number(after('main')));
      break;
    case 'group.updated': {
      const policy = after('policy');
      if (policy !== undefined) know(known, id('group'), JSON.parse(String(policy)) as GroupPolicy);
      break;
    }
    case 'group.deleted':
      policies.delete(id('group'));
      break;
    case 'application.created':
      applications.set(id('application'), { group: id('group'), user, state: 'pending' });
      break;
    case 'application.decided': {
      const made = applications.get(id('application'));
      // It went with its user: its end follows from that.
      if (made === undefined && cause?.event_id != null) break;
      if (made === undefined)
        throw new Error(`${id('application')} was decided, and nobody told of it before`);
      applications.set(id('application'), { ...made, state: after('state') as Application['state'] });
      break;
    }
    case 'user.handed_over':
      endOffices(known, user);
      break;
    case 'user.deleted':
      endOffices(known, user);
      forgetApplicationsOf(known, user);
      break;
  }
}

const isUsual = (policy: GroupPolicy) => isDeepStrictEqual(policy, CLOSED);

function know({ policies }: KnownPeople, group: string, policy: GroupPolicy): void {
  if (isUsual(policy)) policies.delete(group);
  else policies.set(group, policy);
}

/** Removes persons without characters. */
function forgetEmpty({ personOf, mains }: KnownPeople): void {
  const left = new Set(personOf.values());
  for (const person of mains.keys()) if (!left.has(person)) mains.delete(person);
}

function forgetApplicationsOf({ applications }: KnownPeople, user: number): void {
  for (const [id, made] of applications) if (made.user === user) applications.delete(id);
}

/** Removes a user who was handed over or deleted from all moderators. */
function endOffices(known: KnownPeople, user: number): void {
  for (const [id, policy] of known.policies) {
    const users = policy.moderators.users.filter((one) => one !== user);
    know(known, id, { ...policy, moderators: { ...policy.moderators, users } });
  }
}
