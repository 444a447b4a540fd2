import { reader } from '../session/api.ts';
import { listingOf } from './listing.ts';

type EventQuestion = NonNullable<NonNullable<Parameters<typeof reader.audit.list>[0]>['query']>;

const EVENTS = 50;
const USERS = 500;

/** What happened, the latest first. */
export function eventsOf(question: EventQuestion) {
  return listingOf(['audit', 'list'], reader.audit.list.answer, { limit: EVENTS, ...question });
}

/** What others did with one's data. */
export function usesOf(characterId: number) {
  return eventsOf({ target: `user:${characterId}`, type: 'ext.asked_on_behalf,history.read' });
}

/** Users by a part of the name and the least level; all of them where neither is given. */
export function usersOf(search = '', level?: number) {
  return listingOf(['user', 'list'], reader.user.list.answer, {
    limit: USERS,
    ...(search !== '' && { search }),
    ...(level !== undefined && { min_level: level }),
  });
}
