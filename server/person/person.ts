import { MAX_PAGE } from '../../contract/paging.ts';
import { MOST_MAINS, type Person, type PersonChange } from '../../contract/person.ts';
import { answersFor } from '../access/account.ts';
import { type Admission, readmit } from '../access/admission.ts';
import type { Caller } from '../access/caller.queries.ts';
import { findIdNamed } from '../access/named-user.queries.ts';
import { requireAuthority } from '../access/require-authority.ts';
import { inTransaction } from '../database/transaction.ts';
import { secondsUntilUse } from '../rate-limit/once.ts';
import type { Services } from '../services/services.ts';
import { DomainError, notFound, revoked } from '../shared/domain-error.ts';
import { findMembership, lockPersons } from './membership.queries.ts';
import { changeMain, detachCharacters } from './membership.ts';
import { type CharacterRow, findHistory, findMembers, findPersonOf } from './person.queries.ts';
import { idFor } from './person-id.ts';
import { withinReach } from './reach.ts';

type Needs = Pick<Services, 'db' | 'clock'>;

/** The person of a character with all its characters. */
export async function getPersonOf({ db, clock }: Needs, characterId: number): Promise<Person> {
  const rows = await findPersonOf(db, characterId, clock.now());
  if (rows.length === 0) throw revoked();
  return toPerson(rows, rows);
}

/**
 * The person of a user as the caller may see it (D100): all characters of its own person; of others those within its
 * read authority, and none at all when the requested user is outside it.
 */
export async function getPersonNamed(
  { db, clock }: Needs,
  caller: Caller,
  nameOrId: string,
): Promise<Person> {
  const characterId = await findIdNamed(db, nameOrId);
  if (characterId === undefined) throw notFound('user', nameOrId);
  const rows = await findPersonOf(db, characterId, clock.now());
  if (rows.some((row) => row.character_id === caller.owner_id)) return toPerson(rows, rows);
  await requireAuthority(db, caller, { over: 'user', mode: 'read' }, characterId);
  const reached = await withinReach(db, caller, idsOf(rows));
  return toPerson(
    rows,
    rows.filter(({ character_id: id }) => id === characterId || reached.has(id)),
  );
}

/** Removes a character from the caller's person (D101); the main cannot be removed. */
export async function unlinkCharacter(
  { db, clock }: Needs,
  admission: Admission,
  characterId: number,
): Promise<Person> {
  return inTransaction(db, async (tx) => {
    const caller = await readmit(tx, admission, [characterId]);
    await lockPersons(tx);
    const person = await findMembership(tx, caller.owner_id);
    if (!(await isOf(tx, person?.person_id, characterId)))
      throw notFound('character of this person', characterId);
    if (person?.main_id === characterId) throw mainKept(characterId);
    const occasion = { happened: 'unlinked', by: answersFor(caller), now: clock.now() } as const;
    await detachCharacters(tx, [characterId], occasion);
    return getPersonOf({ db: tx, clock }, caller.owner_id);
  });
}

/** Chooses the main of the caller's person. */
export async function updatePerson(
  { db, clock }: Needs,
  admission: Admission,
  main: number,
): Promise<Person> {
  return inTransaction(db, async (tx) => {
    const { owner_id: own } = await readmit(tx, admission, [main]);
    await lockPersons(tx);
    const person = await findMembership(tx, own);
    // A character that was never linked is its own main already.
    if (person === undefined ? main !== own : !(await isOf(tx, person.person_id, main))) {
      throw notFound('character of this person', main);
    }
    if (person !== undefined && person.main_id !== main) {
      await requireChoice(tx, person.person_id, clock.now());
      await changeMain(tx, person, main, clock.now());
    }
    return getPersonOf({ db: tx, clock }, own);
  });
}

const HOUR = 3_600_000;

/** @throws DomainError 429 when the person has chosen its main too often */
async function requireChoice(db: Needs['db'], personId: string, now: Date): Promise<void> {
  const limit = { most: MOST_MAINS, uses: 1, windowMillis: HOUR };
  const retryAfter = await secondsUntilUse(db, `mains of ${personId}`, limit, now);
  if (retryAfter === undefined) return;
  const detail = `A person can choose another main ${MOST_MAINS} times in an hour.`;
  throw new DomainError('rate_limited', detail, { retryAfter });
}

async function isOf(db: Needs['db'], personId: string | undefined, characterId: number): Promise<boolean> {
  return personId !== undefined && (await findMembership(db, characterId))?.person_id === personId;
}

/** The history of a person, newest first. */
export async function getHistory({ db }: Pick<Services, 'db'>, personId: string): Promise<PersonChange[]> {
  const rows = await findHistory(db, personId, MAX_PAGE);
  if (rows.length === 0 && (await findMembers(db, personId)).length === 0) throw notFound('person', personId);
  return rows.map((row) => ({ ...row, occurred_on: row.occurred_on.toISOString() }));
}

export function mainKept(characterId: number): DomainError {
  return new DomainError(
    'main_kept',
    `Character ${characterId} is the main of a person with more characters: choose another main before.`,
  );
}

const TRACKING = new Map([
  [null, 'none'],
  [true, 'valid'],
  [false, 'invalid'],
] as const);

function toPerson(all: readonly CharacterRow[], visible: readonly CharacterRow[]): Person {
  const [first] = all;
  if (first === undefined) throw new Error('a person has a character');
  const main = visible.find((row) => row.character_id === first.main_id);
  return {
    person_id: idFor(first.person_id, idsOf(all), new Set(idsOf(visible))),
    main: main === undefined ? null : toShort(main),
    characters: visible.map((row) => ({
      user: toShort(row),
      ownership: row.ownership,
      proven_on: row.proven_on?.toISOString() ?? null,
      tracking: TRACKING.get(row.covered) ?? 'none',
    })),
    hidden: all.length - visible.length,
  };
}

function idsOf(rows: readonly CharacterRow[]): number[] {
  return rows.map((row) => row.character_id);
}

function toShort({ character_id, character_name }: CharacterRow) {
  return { character_id, character_name };
}
