import type { Level } from '../../contract/access.ts';
import {
  ALLIANCE_LEVEL,
  CEO_LEVEL,
  EXECUTOR_CEO_LEVEL,
  isAdministrator,
  isBuiltIn,
  isGuest,
  MEMBER_LEVEL,
} from '../access/clearance-levels.ts';
import { type Answered, type Fact, fact, type Source, yesOrNo } from './reasons.ts';

interface LevelJudged {
  readonly name: string;
  readonly characterId: number;
  readonly level: number;
  readonly corporation: Source | null;
  readonly alliance: Source | null;
  readonly leads: { readonly corporation: boolean; readonly alliance: boolean };
  /** Id of the event that set this level. */
  readonly since: string | null;
}

/** What each level allows, as in the table of levels in docs/rules.md. */
const MEANS: Readonly<Record<number, string>> = {
  0: 'may read public data and its own',
  1: 'may read what concerns its corporation',
  2: 'may change what concerns its corporation',
  3: 'may read what concerns its alliance',
  4: 'may change what concerns its alliance',
  5: 'may read what concerns its coalitions',
  6: 'may change what concerns its coalitions',
  7: 'may read what concerns everybody',
  8: 'may change what concerns everybody',
  9: 'administers',
  10: 'may do everything',
} satisfies Record<Level, string>;

/** Explains where a user's level comes from (D19, D28). The answer is `no` for guests, whose level grants nothing. */
export function whyLevel({
  name,
  characterId,
  level,
  corporation,
  alliance,
  leads,
  since,
}: LevelJudged): Answered {
  const answer = yesOrNo(!isGuest(level));
  if (isGuest(level)) {
    const host = corporation?.name ?? '';
    return {
      answer,
      sentence: `${name} is a guest of ${host}: level ${level}, which lets it do nothing but log out.`,
      facts: [fact('D28', `Was invited by ${host}.`, { source: corporation, since_event: since })],
      fixes: [{ who: name, text: `Join ${host}, and sign in again.`, operation: 'startLogin' }],
    };
  }
  return {
    answer,
    sentence: `${name} has level ${level}: it ${MEANS[level]}.`,
    facts: [
      { ...given(characterId, level), since_event: since },
      ...offices({ corporation, alliance, leads }, level),
    ],
    fixes: [],
  };
}

function given(characterId: number, level: number): Fact {
  if (isBuiltIn(characterId)) return fact('D16', 'Stands for the service itself: nobody changes its level.');
  if (isAdministrator(level)) return fact('D19', `Level ${level} was given by hand, and outlives any move.`);
  if (level === MEMBER_LEVEL) {
    return fact('D19', 'Level 0 is what a member begins with, and falls back to when it moves.');
  }
  const moves = level < ALLIANCE_LEVEL ? '' : ', or the alliance of the corporation changes';
  return fact('D19', `Level ${level} lasts until it leaves the corporation or loses an office${moves}.`);
}

function offices(
  { corporation, alliance, leads }: Pick<LevelJudged, 'corporation' | 'alliance' | 'leads'>,
  level: number,
): Fact[] {
  const facts: Fact[] = [];
  if (leads.corporation) {
    const says = `Leads the corporation, which gives level ${CEO_LEVEL} at least.`;
    facts.push(fact('D19', says, { source: corporation, decisive: level === CEO_LEVEL }));
  }
  if (leads.alliance) {
    const says = `Leads the alliance, which gives level ${EXECUTOR_CEO_LEVEL} at least.`;
    facts.push(fact('D19', says, { source: alliance, decisive: level === EXECUTOR_CEO_LEVEL }));
  }
  return facts;
}
