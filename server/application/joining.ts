import type { Kysely } from 'kysely';
import type { JoinableGroup } from '../../contract/policy.ts';
import { answersFor } from '../access/account.ts';
import type { Caller } from '../access/caller.queries.ts';
import { isBuiltIn } from '../access/clearance-levels.ts';
import type { Database } from '../database/tables.ts';
import { type Candidate, findCandidate, findJoinable, findModeration } from '../policy/policy.queries.ts';
import type { Services } from '../services/services.ts';
import { DomainError, notFound } from '../shared/domain-error.ts';

type Obstacle =
  | 'joining_closed'
  | 'not_eligible'
  | 'already_member'
  | 'application_pending'
  | 'reapply_later'
  | 'forbidden_to_all';

interface Hindrance {
  readonly code: Obstacle;
  readonly says: string;
}

const BUILT_IN: Hindrance = { code: 'forbidden_to_all', says: 'The built-in user joins no group.' };

/** Why a user cannot join a group or apply to it (D111); undefined when it can. */
function hindranceOf(candidate: Candidate, characterId: number, now: Date): Hindrance | undefined {
  const { joining, is_member, pending, rejected_until } = candidate;
  if (isBuiltIn(characterId)) return BUILT_IN;
  if (joining === 'closed')
    return { code: 'joining_closed', says: 'The owner of the group adds its members.' };
  if (is_member) return { code: 'already_member', says: 'You are a member already.' };
  const unmet = unmetBy(candidate);
  if (unmet !== undefined) return { code: 'not_eligible', says: unmet };
  if (pending !== null) return { code: 'application_pending', says: 'Your application is pending.' };
  if (rejected_until !== null && rejected_until > now) {
    const until = rejected_until.toISOString();
    return { code: 'reapply_later', says: `You were rejected, and may apply again from ${until} on.` };
  }
  return undefined;
}

type Unmet = Readonly<Record<keyof Candidate['met'], (candidate: Candidate) => string>>;

/** What is said of each condition that is not met, by whom the policy looks at; the first that fits. */
const UNMET: Readonly<Record<Candidate['reach'], Unmet>> = {
  character: {
    member: () => 'Guests join no group.',
    level: ({ min_level, level }) => `That needs level ${min_level}; you have ${level}.`,
    organizations: () => 'You belong to none of the organizations that the group is for.',
    groups_any: () => 'You are in none of the groups that one has to be in.',
    groups_none: () => 'You are in a group that one must not be in.',
  },
  person: {
    member: () => 'Guests join no group.',
    level: ({ min_level }) => `That needs a character of level ${min_level}.`,
    organizations: () => 'None of your characters belongs to one of the organizations that the group is for.',
    groups_any: () => 'None of your characters is in one of the groups that one has to be in.',
    groups_none: () => 'One of your characters is in a group that one must not be in.',
  },
};

/** The condition of the policy that a user does not meet, in words; undefined when it is eligible. */
export function unmetBy(candidate: Candidate): string | undefined {
  const { eligible, met, reach } = candidate;
  if (eligible) return undefined;
  const unmet = UNMET[reach];
  const first = (Object.keys(unmet) as (keyof Unmet)[]).find((condition) => !met[condition]);
  // Each condition is met by some character of the person, but all of them by none.
  return first === undefined
    ? 'None of your characters meets all that is asked by itself.'
    : unmet[first](candidate);
}

/** What joining a group depends on, for a user who may join it or apply to it; throws what hinders anybody else. */
export async function requireCandidate(
  db: Kysely<Database>,
  groupId: string,
  characterId: number,
  now: Date,
): Promise<Candidate> {
  const candidate = await findCandidate(db, groupId, characterId, now);
  if (candidate === undefined && (await findModeration(db, groupId, characterId)) === undefined) {
    throw notFound('group', groupId);
  }
  // Nobody learns from the refusal whether there is a policy that it may not see. The built-in user sees all, but with
  // a user token its sponsor asks (D23).
  if (isBuiltIn(characterId)) throw refusalOf(BUILT_IN);
  if (!candidate?.may_see) throw closed();
  const hindrance = hindranceOf(candidate, characterId, now);
  if (hindrance !== undefined) throw refusalOf(hindrance);
  return candidate;
}

export function closed(): DomainError {
  return new DomainError('joining_closed', 'The owner of the group adds its members.');
}

/** The groups whose policy lets users join and that the caller may see, each with whether it may join and why. */
export async function listJoinable(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  caller: Caller,
): Promise<JoinableGroup[]> {
  const now = clock.now();
  // A user token of the built-in user has no more rights than its sponsor (D23).
  return (await findJoinable(db, answersFor(caller), now)).map((candidate) => {
    const { group_id, group_name, joining, questions, pending } = candidate;
    const hindrance = hindranceOf(candidate, caller.owner_id, now);
    return {
      group: { group_id, group_name },
      joining,
      may_join: hindrance === undefined,
      why: hindrance?.says ?? (joining === 'open' ? 'You may join.' : 'You may apply.'),
      questions: [...questions],
      application_id: pending,
    };
  });
}

function refusalOf({ code, says }: Hindrance): DomainError {
  return new DomainError(code, code === 'forbidden_to_all' ? `Insufficient clearance level: ${says}` : says);
}
