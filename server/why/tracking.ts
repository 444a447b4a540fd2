import type { ExtScope } from '../../contract/scopes.ts';
import type { Requirement } from '../access/required-scopes.queries.ts';
import { type Answered, type Fact, type Fix, fact, listed, type Source } from './reasons.ts';

interface TrackingJudged {
  readonly name: string;
  /** The user's corporation; null for guests, who are members of none. */
  readonly memberOf: Source | null;
  /** What has to happen before the user may sign in; nothing where it may. */
  readonly toLogIn: readonly Fix[];
  /** The decision (D35): whether a valid grant covers the required scopes; null when there is no grant. */
  readonly covered: boolean | null;
  readonly requirements: readonly Requirement[];
  readonly grants: readonly { readonly valid: boolean; readonly scopes: readonly ExtScope[] }[];
}

/** Explains whether a user's refresh tokens cover the required scopes, and which are missing (D35). */
export function whyTracking(judged: TrackingJudged): Answered {
  const { name, memberOf, toLogIn, covered, requirements, grants } = judged;
  if (memberOf === null) {
    const sentence = `${name} is a member of no corporation, so nobody tracks its refresh tokens.`;
    return { answer: 'unknown', sentence, facts: [fact('D35', sentence)], fixes: [] };
  }
  const all = [...new Set(requirements.flatMap(({ scopes }) => scopes))].sort();
  const missing = lacking(all, grants);
  const facts = [
    ...requirements.map((requirement) => required(requirement, covered === true ? undefined : missing)),
    ...grants.map(({ valid, scopes }) => held(valid, scopes)),
  ];
  if (covered === true) {
    const sentence = `A valid refresh token of ${name} covers everything that is required.`;
    return { answer: 'yes', sentence, facts, fixes: [] };
  }
  // All of them, as one refresh token has to cover what is required.
  const text = `Sign in again, granting ${all.length === 0 ? 'any scope' : all.join(', ')}.`;
  const sentence = shortcoming(name, covered, missing, requirements, grants);
  return { answer: 'no', sentence, facts, fixes: [...toLogIn, { who: name, text, operation: 'startLogin' }] };
}

/** The required scopes that are missing in the valid grant with the fewest missing ones, the same as in the compliance. */
function lacking(all: readonly ExtScope[], grants: TrackingJudged['grants']): readonly ExtScope[] {
  const lacks = grants
    .filter(({ valid }) => valid)
    .map(({ scopes }) => all.filter((scope) => !scopes.includes(scope)));
  return lacks.sort((one, other) => one.length - other.length)[0] ?? all;
}

function required(
  { type, id, name, via, scopes }: Requirement,
  missing: readonly ExtScope[] | undefined,
): Fact {
  const decisive = missing === undefined || scopes.some((scope) => missing.includes(scope));
  return fact('D38', `Requires ${scopes.join(', ')}.`, { source: { type, id, name }, via, decisive });
}

function held(valid: boolean, scopes: readonly ExtScope[]): Fact {
  const granted = scopes.length === 0 ? 'no scopes' : scopes.join(', ');
  return fact('D35', `${valid ? 'A valid refresh token' : 'An invalid refresh token'} with ${granted}.`, {
    decisive: valid,
  });
}

function shortcoming(
  name: string,
  covered: boolean | null,
  missing: readonly ExtScope[],
  requirements: readonly Requirement[],
  grants: TrackingJudged['grants'],
): string {
  if (covered === null) return `${name} has granted no refresh token.`;
  if (!grants.some(({ valid }) => valid)) return `No refresh token of ${name} is valid any more.`;
  const by = requirements.filter(({ scopes }) => scopes.some((scope) => missing.includes(scope)));
  const organizations = listed(
    by.map(({ type, id, name: organization }) => ({ type, id, name: organization })),
  );
  const what = `${missing.join(', ')}, required by ${organizations}`;
  const other = grants.some(({ valid, scopes }) => valid && scopes.some((scope) => missing.includes(scope)));
  return other
    ? `No refresh token of ${name} covers everything that is required: the best one lacks ${what}.`
    : `The refresh tokens of ${name} lack ${what}.`;
}
