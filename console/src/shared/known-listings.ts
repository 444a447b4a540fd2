import type { Application } from '@castellan/sdk';
import { reader } from '../session/api.ts';
import { listingOf } from './listing.ts';

type EventQuestion = NonNullable<NonNullable<Parameters<typeof reader.audit.list>[0]>['query']>;

const EVENTS = 50;
const USERS = 500;
const APPLICATIONS = 50;

/** Events, latest first. */
export function eventsOf(question: EventQuestion) {
  return listingOf(['audit', 'list'], reader.audit.list.answer, { limit: EVENTS, ...question });
}

/** Events that tell who used the character's data. */
export function usesOf(characterId: number) {
  return eventsOf({ target: `user:${characterId}`, type: 'ext.asked_on_behalf,history.read' });
}

/** Users by a part of the name and a minimum level; all of them by default. */
export function usersOf(search = '', level?: number) {
  return listingOf(['user', 'list'], reader.user.list.answer, {
    limit: USERS,
    ...(search !== '' && { search }),
    ...(level !== undefined && { min_level: level }),
  });
}

/** The user's own applications, or the pending ones that it may decide; newest first. */
export function applicationsAs(role: 'applicant' | 'moderator') {
  return listingOf(['application', 'list'], reader.application.list.answer, { limit: APPLICATIONS, role });
}

/** The applications to a group in a state, newest first. */
export function applicationsTo(groupId: string, state: Application['state']) {
  return listingOf(
    ['group', `applications to ${groupId}`],
    (request) => reader.group.applications.answer({ params: { group_id: groupId }, ...request }),
    { limit: APPLICATIONS, state },
  );
}
