import { isGuest } from '../access/clearance-levels.ts';
import { type Answered, fact, type Source, yesOrNo } from './reasons.ts';

interface GroupJudged {
  readonly name: string;
  readonly level: number;
  readonly group: Source;
  readonly follows: 'corporation' | 'alliance' | 'coalition' | 'voice' | null;
  /** The decision: whether the user is a member. */
  readonly member: boolean;
  /** Id of the event by which the user was added or removed. */
  readonly since: string | null;
}

/** Explains why a user is a member of a group or not. */
export function whyGroup({ name, level, group, follows, member, since: since_event }: GroupJudged): Answered {
  const is = `${name} is ${member ? '' : 'no '}${member ? 'a ' : ''}member of ${group.name}`;
  const answer = yesOrNo(member);
  if (follows === null) {
    const says = member ? 'It was put into the group, or joined it.' : 'It was not put into the group.';
    return {
      answer,
      sentence: `${is}: ${says.slice(0, 1).toLowerCase()}${says.slice(1)}`,
      facts: [fact('D15', says, { source: group, since_event })],
      fixes: member
        ? []
        : [{ who: 'owner of the group', text: `Add ${name} to the group.`, operation: 'updateGroup' }],
    };
  }
  if (follows === 'voice') {
    const says = member ? 'it proved its voice identity.' : 'it did not prove a voice identity.';
    const fix = { who: name, text: 'Prove the voice identity.', operation: 'startVoiceChallenge' };
    return {
      answer,
      sentence: `${is}: ${says}`,
      facts: [
        fact('D41', `The group of those who proved their voice identity.`, { source: group, since_event }),
      ],
      fixes: member ? [] : [fix],
    };
  }
  const guest = isGuest(level) && !member;
  const says = `The group holds the members of the ${follows} and nobody else${guest ? '; guests are none' : ''}.`;
  return {
    answer,
    sentence: `${is}, which holds the members of the ${follows} of that name.`,
    facts: [fact('D18b', says, { source: group, via: follows, since_event })],
    fixes: [],
  };
}
