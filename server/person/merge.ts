import type { Kysely } from 'kysely';
import type { Person, PersonSplit, PostMerge, PostSplit } from '../../contract/person.ts';
import { answersFor } from '../access/account.ts';
import { type Admission, readmit, readmitOver } from '../access/admission.ts';
import { objectId } from '../database/object-id.ts';
import type { Database } from '../database/tables.ts';
import { inTransactionIfKept, Overtaken } from '../database/transaction.ts';
import type { Services } from '../services/services.ts';
import { invalid, notFound, notFoundAmong } from '../shared/domain-error.ts';
import { findLongestProven, findMembership, lockPersons, type Occasion } from './membership.queries.ts';
import { detachCharacters, foundPerson, moveTo, splitOff } from './membership.ts';
import { findMembers } from './person.queries.ts';
import { getPersonOf } from './person.ts';

type Needs = Pick<Services, 'db' | 'clock'>;

/** Moves all characters of another person to this one, whose main stays (D101). */
export async function mergePersons(
  { db, clock }: Needs,
  admission: Admission,
  personId: string,
  { person_id: otherId, reason, dry_run }: PostMerge,
): Promise<Person> {
  return inTransactionIfKept(db, async (tx) => {
    const read = [...(await findMembers(tx, personId)), ...(await findMembers(tx, otherId))];
    const { caller, locked } = await readmitOver(tx, admission, read);
    await lockPersons(tx);
    const [first] = await membersOf(tx, personId);
    const others = await membersOf(tx, otherId);
    // Whoever is one of them only since then can be deleted while it is moved.
    if (![first, ...others].every((id) => locked.has(id))) throw new Overtaken();
    if (others.includes(first)) throw invalid(['body', 'person_id'], 'Must be another person');
    const now = clock.now();
    const own = await findMembership(tx, first);
    const person = own ?? { person_id: objectId(now), main_id: first };
    if (own === undefined) await foundPerson(tx, person, now);
    await moveTo(tx, person.person_id, others, { happened: 'merged', by: answersFor(caller), now, reason });
    return { result: await getPersonOf({ db: tx, clock }, first), kept: dry_run !== true };
  });
}

/** Moves some characters of a person to a new person (D101). */
export async function splitPerson(
  { db, clock }: Needs,
  admission: Admission,
  personId: string,
  { characters, reason, dry_run }: PostSplit,
): Promise<PersonSplit> {
  const leaving = [...new Set(characters)];
  const read = await findMembers(db, personId);
  return inTransactionIfKept(db, async (tx) => {
    const caller = await readmit(tx, admission, read);
    await lockPersons(tx);
    const all = await membersOf(tx, personId);
    const strangers = leaving.filter((id) => !all.includes(id));
    if (strangers.length > 0) throw notFoundAmong('character of this person', strangers);
    const [staying] = all.filter((id) => !leaving.includes(id));
    if (staying === undefined) throw invalid(['body', 'characters'], 'Must leave somebody behind');
    const now = clock.now();
    const occasion = { happened: 'split', by: answersFor(caller), now, reason } as const;
    const [sole, ...more] = leaving as [number, ...number[]];
    if (more.length === 0) await detachCharacters(tx, leaving, occasion);
    else await splitOff(tx, await newPerson(tx, leaving, occasion), leaving, occasion);
    const person = await getPersonOf({ db: tx, clock }, staying);
    const split_off = await getPersonOf({ db: tx, clock }, sole);
    return { result: { person, split_off }, kept: dry_run !== true };
  });
}

/** Id and main of a new person for these characters. */
async function newPerson(tx: Kysely<Database>, characterIds: readonly number[], { now }: Occasion) {
  return { person_id: objectId(now), main_id: await findLongestProven(tx, characterIds) };
}

async function membersOf(db: Kysely<Database>, personId: string): Promise<[number, ...number[]]> {
  const [first, ...others] = await findMembers(db, personId);
  if (first === undefined) throw notFound('person', personId);
  return [first, ...others];
}
