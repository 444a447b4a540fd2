import { type Fact, type Fix, fact, type Source } from './reasons.ts';
import type { PolicyJudged } from './why.queries.ts';

/** A user before a group, and what decides whether it is a member. */
export interface GroupJudged {
  readonly name: string;
  readonly level: number;
  readonly group: Source;
  readonly follows: 'corporation' | 'alliance' | 'coalition' | 'voice' | null;
  /** The decision: whether the user is a member. */
  readonly member: boolean;
  /** Id of the event by which the user was added or removed. */
  readonly since: string | null;
  /** Whether the group has an owner, and whether that is the user. */
  readonly owned: boolean;
  readonly is_owner: boolean;
  /** What has to happen before the user may use its tokens; nothing where it may. */
  readonly toLogIn: readonly Fix[];
  readonly policy: PolicyJudged | null;
}

/** What the policy of a group says about somebody, of whose membership it does not decide by itself (D110). */
export function whatPolicySays({ group, level, member, is_owner, policy }: GroupJudged): Fact[] {
  if (policy === null) return [];
  const told = (says: string, decisive: boolean) => [fact('D110', says, { source: group, decisive })];
  if (!policy.counts) return told('The policy of the group does not count until level 9 has set it.', false);
  if (member && is_owner) return told('The owner stays, whoever is eligible.', false);
  if (!policy.eligible) {
    const unmet = unmetBy(policy, level);
    return told(member ? `Not eligible: ${unmet} ${stays(policy)}` : `Not eligible: ${unmet}`, !member);
  }
  if (member) return told('Eligible by the policy of the group.', false);
  if (policy.joining !== 'closed' && !policy.pending && policy.rejected_until !== null) {
    return told(`Eligible, but was rejected, and may apply again${onceMore(policy)}.`, true);
  }
  if (policy.joining !== 'closed' && !policy.pending && !policy.may_see) {
    return told('Eligible, but may not see the group, so cannot join it: the owner adds members.', true);
  }
  const ways = {
    closed: 'Joining is closed: the owner adds members.',
    application: policy.pending
      ? 'Eligible; the application is pending.'
      : 'Eligible; members join by an application.',
    open: 'Eligible; joining is open.',
  };
  return told(ways[policy.joining], true);
}

/** How somebody who is no member can become one by the policy. */
export function waysIn({ name, toLogIn, policy }: GroupJudged): Fix[] {
  if (policy === null || !policy.counts || !policy.eligible || policy.joining === 'closed') return [];
  if (policy.pending) {
    const text = `Approve the application of ${name}.`;
    return [{ who: 'moderator of the group', text, operation: 'decideApplication' }];
  }
  if (!policy.may_see || toLogIn.length > 0) return [];
  const when = onceMore(policy);
  const text =
    policy.joining === 'open' ? `Join the group${when}.` : `Apply to the group${when}, and be approved.`;
  return [{ who: name, text, operation: 'applyToGroup' }];
}

/** When a user may join or apply that was rejected; empty for at once. */
function onceMore({ rejected_until }: PolicyJudged): string {
  return rejected_until === null ? '' : ` from ${new Date(rejected_until).toISOString()} on`;
}

type Unmet = Readonly<Record<keyof PolicyJudged['met'], string>>;

/** What is said of each condition that is not met, by whom the policy looks at; the first that fits. */
const UNMET: Readonly<Record<PolicyJudged['reach'], Unmet>> = {
  character: {
    member: 'guests join no group.',
    level: 'the level is too low.',
    organizations: 'belongs to none of the organizations that the group is for.',
    groups_any: 'is in none of the groups that one has to be in.',
    groups_none: 'is in a group that one must not be in.',
  },
  person: {
    member: 'guests join no group.',
    level: 'no character of the person has the level.',
    organizations: 'no character of the person belongs to one of the organizations that the group is for.',
    groups_any: 'no character of the person is in one of the groups that one has to be in.',
    groups_none: 'a character of the person is in a group that one must not be in.',
  },
};

function unmetBy({ met, min_level, reach }: PolicyJudged, level: number): string {
  const unmet = UNMET[reach];
  const first = (Object.keys(unmet) as (keyof Unmet)[]).find((condition) => !met[condition]);
  // Each condition is met by some character of the person, but all of them by none.
  if (first === undefined) return 'no character of the person meets all that is asked by itself.';
  return first === 'level' ? `${unmet.level} It takes ${min_level}; the user has ${level}.` : unmet[first];
}

function stays({ leaves_on, removes }: PolicyJudged): string {
  if (!removes) return 'Stays: was added by hand, and never was eligible.';
  return leaves_on === null
    ? 'Stays for the grace of the policy, from when that is noticed.'
    : `Has to leave after ${new Date(leaves_on).toISOString()}, unless eligible again.`;
}
