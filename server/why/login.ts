import { isAdministrator, isBuiltIn } from '../access/clearance-levels.ts';
import type { LoginVote } from '../access/login-permission.queries.ts';
import { type Answered, type Fact, type Fix, fact, listed, type Source, yesOrNo } from './reasons.ts';

/** A user with the decision about its login permission, and what that was based on. */
interface LoginJudged {
  readonly name: string;
  readonly characterId: number;
  readonly level: number;
  /** The corporation whose guest the user is; null for members. */
  readonly guestOf: string | null;
  /** The decision: whether the user may log in (D27). */
  readonly admitted: boolean;
  readonly votes: readonly (LoginVote & { readonly since?: string | null })[];
}

const sourceOf = ({ kind, id, name }: LoginVote): Source => ({ type: kind, id, name });

/** Explains why a user may log in or not, by the groups and coalitions that decided it (D27). */
export function whyLogin(judged: LoginJudged): Answered {
  const { name, characterId, level, guestOf, admitted, votes } = judged;
  const who = guestOf === null ? name : `${name}, as a guest of ${guestOf},`;
  if (isBuiltIn(characterId)) {
    const sentence = `${name} stands for the service itself and may always log in.`;
    return { answer: yesOrNo(admitted), sentence, facts: [fact('D27', sentence)], fixes: [] };
  }
  const bound = !isAdministrator(level);
  const decisive = votes.filter(({ allows }) => allows === admitted && (allows || bound));
  const sources = decisive.map(sourceOf);
  const facts = votes.map((vote) => factOf(vote, { bound, decisive: decisive.includes(vote) }));
  const answer = yesOrNo(admitted);
  if (admitted) {
    return { answer, sentence: `${who} may log in: let in by ${listed(sources)}.`, facts, fixes: [] };
  }
  if (sources.length > 0) {
    const sentence = `${who} may not log in: kept out by ${listed(sources)}.`;
    // Whoever keeps out lets in afterwards; of a guest only the organizations of its host do.
    const remains =
      decisive.some(({ via }) => guestOf === null || via !== null) || votes.some(({ allows }) => allows);
    const fixes = [...sources.map(letIn), ...(remains ? [] : [letSomebodyIn(judged)])];
    return { answer, sentence, facts, fixes };
  }
  const nobody = fact('D27', 'None of the groups and coalitions lets its members in.');
  return {
    answer,
    sentence: `${who} may not log in: let in by no group or coalition.`,
    facts: [...facts, nobody],
    fixes: [letSomebodyIn(judged)],
  };
}

/** For somebody without a yes: a group of its own would not count for a guest (D27). */
function letSomebodyIn({ name, guestOf }: LoginJudged): Fix {
  return guestOf === null
    ? { who: 'level 9', text: `Put ${name} into a group whose members may log in.`, operation: 'updateGroup' }
    : { who: 'level 9', text: `Put ${guestOf} into a coalition that lets in.`, operation: 'updateCoalition' };
}

function factOf(
  vote: LoginJudged['votes'][number],
  { bound, decisive }: { bound: boolean; decisive: boolean },
): Fact {
  const keeps = bound
    ? 'Keeps its members out.'
    : 'Keeps its members out, which does not bind levels 9 and 10.';
  return fact('D27', vote.allows ? 'Lets its members in.' : keeps, {
    source: sourceOf(vote),
    via: vote.via,
    decisive,
    since_event: vote.since ?? null,
  });
}

function letIn({ type, name }: Source): Fix {
  return {
    who: 'level 9',
    text: `Set authorized_to_login of the ${type} ${name} to true.`,
    operation: type === 'group' ? 'updateGroup' : 'updateCoalition',
  };
}
