/**
 * All event types (D91), as `subject.what_happened`, each with what it reports. Readers must ignore unknown types, as
 * the list grows.
 */
export const EVENT_TYPES = {
  'user.registered':
    'A character became a user, by its own sign-in or because the game has it in a corporation.',
  'user.signed_in': 'A sign-in ended with a user token.',
  'user.sign_in_refused': 'A sign-in ended with a refusal; `reason` says which.',
  'user.moved': 'A user is in another corporation now, or in none.',
  'user.standing_changed':
    'What a user is or may do changed: those of level, membership and login that differ.',
  'user.renamed': 'The game has another name for the character.',
  'user.handed_over': 'The character belongs to another person now, who starts from nothing.',
  'user.deleted': 'A user is gone with everything that hung on it.',

  'grant.given': 'A character let the service ask the game on its behalf.',
  'grant.scopes_changed': 'A sign-in replaced what a character grants with other scopes.',
  'grant.invalidated': 'A refresh token does not work any more.',

  'group.created': 'There is a new group.',
  'group.updated': 'Something else than the members of a group changed.',
  'group.deleted': 'A group is gone, and with it its memberships.',
  'group.members_changed': 'Users came into a group or left it, autogroups included.',

  'coalition.created': 'There is a new coalition.',
  'coalition.updated': 'Something else than the members of a coalition changed.',
  'coalition.deleted': 'A coalition is gone, and with it its memberships and its autogroup.',
  'coalition.members_changed': 'Alliances or corporations came into a coalition or left it.',

  'corporation.registered': 'The service knows another corporation.',
  'corporation.updated': 'Name, ticker, alliance or required scopes of a corporation changed.',
  'corporation.members_changed': 'Users came into a corporation or left it.',
  'corporation.ceo_changed': 'A corporation has another CEO.',
  'corporation.guest_invited': 'There is a new guest code of a corporation.',

  'alliance.registered': 'The service knows another alliance.',
  'alliance.updated': 'Name, ticker or required scopes of an alliance changed.',
  'alliance.members_changed': 'Corporations came into an alliance or left it.',
  'alliance.ceo_changed': 'Another corporation executes an alliance, or that one has another CEO.',

  'token.created': 'There is a new token.',
  'token.deleted': 'Somebody deleted a token, and with it what descended from it.',

  'application.created': 'Somebody asked to join a group.',
  'application.decided': 'It was decided about, withdrawn, or had its time.',
  'person.character_linked': 'A character belongs to a person.',
  'person.character_unlinked': 'A character does not belong to a person any more.',
  'person.main_changed': 'Another character stands for a person.',

  'voice.bound': 'A user proved which identity on the voice server is its own.',
  'voice.unbound': 'An identity on the voice server is no longer the user’s.',

  'webhook.created': 'There is a new webhook; of its URL only the origin is told.',
  'webhook.updated': 'A webhook was changed, disabled, given a new secret, or set back.',
  'webhook.deleted':
    'Somebody deleted a webhook; one that goes with its application or owner is not told of.',

  'job.requested': 'Somebody had a job run.',
  'registry.change_held': 'A run would have taken something from too many, and changed nothing.',
  'crash.deleted': 'A crash report was deleted.',
  'ext.asked_on_behalf': 'Somebody asked the game for data of another user.',
  'history.read': 'Somebody read what is kept of another user.',
  'audit.checkpoint': 'So far the events are whole: the position and the hash of the last one, signed.',
} as const satisfies Readonly<Record<`${string}.${string}`, string>>;

export type EventType = keyof typeof EVENT_TYPES;

/** Subjects whose events are kept for three years, all others for 400 days (D90). */
export const KEPT_LONG: ReadonlySet<string> = new Set(['user', 'person', 'token']);
