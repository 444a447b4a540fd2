import { isGuest } from '../access/clearance-levels.ts';
import { type GroupJudged, waysIn, whatPolicySays } from './policy.ts';
import { type Answered, type Fix, fact, yesOrNo } from './reasons.ts';

/** Explains why a user is a member of a group or not. */
export function whyGroup(judged: GroupJudged): Answered {
  const { name, level, group, follows, member, since: since_event, toLogIn } = judged;
  const is = `${name} is ${member ? 'a' : 'no'} member of ${group.name}`;
  const answer = yesOrNo(member);
  if (follows === null) {
    const was = member ? 'was put into the group, or joined it.' : 'was not put into the group.';
    return {
      answer,
      sentence: `${is}: it ${was}`,
      facts: [fact('D15', `It ${was}`, { source: group, since_event }), ...whatPolicySays(judged)],
      fixes: member ? [] : [...waysIn(judged), addition(judged)],
    };
  }
  const guest = isGuest(level) && !member;
  if (follows === 'voice') {
    const says = member ? 'it proved its voice identity.' : 'it did not prove a voice identity.';
    const fix = { who: name, text: 'Prove the voice identity.', operation: 'startVoiceChallenge' };
    return {
      answer,
      sentence: `${is}: ${says}`,
      facts: [
        fact('D41', `The group of those who proved their voice identity.`, { source: group, since_event }),
      ],
      // A guest may do nothing but log out (D28).
      fixes: member || guest ? [] : [...toLogIn, fix],
    };
  }
  const guests = guest ? '; guests are none' : '';
  const says = `The group holds the members of the ${follows} and nobody else${guests}.`;
  return {
    answer,
    sentence: `${is}, which holds the members of the ${follows} of that name.`,
    facts: [fact('D18b', says, { source: group, via: follows, since_event })],
    fixes: [],
  };
}

function addition({ name, owned }: GroupJudged): Fix {
  const who = owned ? 'owner of the group, or level 9' : 'level 9';
  return { who, text: `Add ${name} to the group.`, operation: 'updateGroup' };
}
