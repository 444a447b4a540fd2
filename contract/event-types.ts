/**
 * All event types (D91), as `subject.what_happened`, each with what it reports. Readers must ignore unknown types, as
 * the list grows.
 */
export const EVENT_TYPES = {
  'user.registered':
    'A character became a user, by its own sign-in or because the game has it in a corporation.',
  'user.signed_in': 'A sign-in at the game ended with a user token, or with a session of OpenID Connect.',
  'user.sign_in_refused': 'A sign-in ended with a refusal; `reason` says which.',
  'user.moved': 'A user is in another corporation now, or in none.',
  'user.standing_changed':
    'The level, memberships or login permission of a user changed; `changes` has those that differ.',
  'user.renamed': 'The game has another name for the character.',
  'user.handed_over': 'The character was transferred to another person; its rights and data were removed.',
  'user.deleted': 'A user was deleted with all its data.',

  'grant.given': "A character granted the service access to the game's API.",
  'grant.scopes_changed': "A sign-in replaced a character's grant by one with other scopes.",
  'grant.invalidated': 'A refresh token became invalid.',

  'group.created': 'There is a new group.',
  'group.updated': 'Fields of a group other than its members changed.',
  'group.deleted': 'A group was deleted, and its memberships with it.',
  'group.members_changed': 'Users joined or left a group, autogroups included.',

  'coalition.created': 'There is a new coalition.',
  'coalition.updated': 'Fields of a coalition other than its members changed.',
  'coalition.deleted': 'A coalition was deleted, and its memberships and autogroup with it.',
  'coalition.members_changed': 'Alliances or corporations joined or left a coalition.',

  'corporation.registered': 'A corporation was registered.',
  'corporation.updated': 'Name, ticker, alliance or required scopes of a corporation changed.',
  'corporation.members_changed': 'Users joined or left a corporation.',
  'corporation.ceo_changed': 'The CEO of a corporation changed.',
  'corporation.guest_invited': 'There is a new guest code of a corporation.',

  'alliance.registered': 'An alliance was registered.',
  'alliance.updated': 'Name, ticker or required scopes of an alliance changed.',
  'alliance.members_changed': 'Corporations joined or left an alliance.',
  'alliance.ceo_changed': "The executor corporation of an alliance, or that corporation's CEO, changed.",

  'token.created': 'There is a new token.',
  'token.deleted': 'Somebody deleted a token, and with it what descended from it.',

  'application.created': 'Somebody asked to join a group.',
  'application.decided': 'An application was decided, was withdrawn, expired or became void.',
  'person.character_linked': 'A character was linked to a person.',
  'person.character_unlinked': 'A character was removed from a person.',
  'person.main_changed': 'The main character of a person changed.',

  'voice.bound': 'A user proved which identity on the voice server is its own.',
  'voice.unbound': 'An identity on the voice server is no longer the user’s.',

  'oidc.client_created': 'An OpenID Connect application was created.',
  'oidc.client_updated': 'An OpenID Connect application was changed, or given a new secret.',
  'oidc.client_deleted': 'An OpenID Connect application was deleted, and with it what it was granted.',
  'oidc.consent_given': 'A user agreed to what an OpenID Connect application learns about them.',

  'webhook.created': 'A webhook was created; of its URL the event contains only the origin.',
  'webhook.updated': 'A webhook was changed, disabled, given a new secret, or set back.',
  'webhook.deleted':
    'A webhook was deleted by request. There is no event for webhooks deleted with their application or owner.',

  'job.requested': 'Somebody had a job run.',
  'registry.change_held':
    'The mass-change guard held back a run that would have taken rights from too many users.',
  'crash.deleted': 'A crash report was deleted.',
  'ext.asked_on_behalf': "Data of another user was requested from the game's API.",
  'history.read': 'The history of another user was read.',
  'audit.checkpoint': 'So far the events are whole: the position and the hash of the last one, signed.',
} as const satisfies Readonly<Record<`${string}.${string}`, string>>;

export type EventType = keyof typeof EVENT_TYPES;

/** Subjects whose events are kept for three years, all others for 400 days (D90). */
export const KEPT_LONG: ReadonlySet<string> = new Set(['user', 'person', 'token']);
