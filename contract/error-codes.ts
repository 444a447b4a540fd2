/**
 * All error codes (D73), each with its status and meaning. Answers carry them beside `detail`. A refusal of the
 * provider keeps the provider's own status.
 */
export const ERROR_CODES = {
  http_unreadable: [400, 'The request is not readable as HTTP.'],

  token_missing: [401, 'The request carries no token.'],
  token_malformed: [401, 'The Authorization header does not contain a token of this service.'],
  token_invalid: [401, "The token's signature, key, issuer or claims are not those of this service."],
  token_expired: [401, 'The token has expired: sign in again.'],
  token_revoked: [401, 'The token was deleted, or is not known here.'],
  token_type_refused: [401, 'The operation takes tokens of another type.'],
  login_not_allowed: [401, 'The user who is responsible for the token is not allowed to log in.'],

  level_too_low: [403, "The clearance level of the token's owner is too low."],
  no_authority: [403, 'There is no authority over the record that the request is about.'],
  forbidden_to_all: [403, 'No caller may do this, whatever the level.'],

  not_found: [404, 'A record that the request names does not exist.'],
  path_unknown: [404, 'The service has no such path.'],
  ext_path_unknown: [404, "The game's API has no such path."],
  no_refresh_token: [404, 'No valid refresh token of the character has the scope that is needed.'],
  state_code_unknown: [404, 'The state code does not belong to this token, or has expired.'],
  voice_not_configured: [404, 'This instance has no voice server.'],
  voice_challenge_missing: [404, 'The user has no valid voice challenge.'],
  voice_client_missing: [
    404,
    'No client on the voice server, or more than one, has the nickname of the challenge.',
  ],

  method_not_allowed: [405, 'The path does not support the method; `Allow` lists those that it supports.'],
  request_timeout: [408, 'The request did not arrive in time.'],

  name_taken: [409, 'Another record has this name.'],
  autogroup_kept: [409, 'The request would change a part of an autogroup that only the service changes.'],
  joining_closed: [409, 'Joining is closed: only the owner adds members to the group.'],
  not_eligible: [409, "The user does not meet the conditions of the group's policy."],
  questions_changed: [409, 'The group does not ask these questions any more.'],
  already_member: [409, 'The user is a member of the group already.'],
  too_many_applications: [
    409,
    'The user has the maximum number of pending applications, or made the maximum number within 24 hours.',
  ],
  application_pending: [409, 'The user has a pending application to the group.'],
  reapply_later: [409, 'The user was rejected recently, and may apply again only after the waiting time.'],
  application_decided: [409, 'The application is not pending any more.'],
  owner_stays: [409, 'The owner of a group cannot leave it.'],
  member_stays: [409, 'A group that bars from another one cannot be left by its members.'],
  main_kept: [
    409,
    'The main of a person with other characters cannot be removed before another main is chosen.',
  ],
  client_is_public: [409, 'A public client has no secret to renew.'],
  too_many_guest_codes: [409, 'The corporation has the maximum number of valid guest codes.'],

  resync: [
    410,
    'The events after this cursor are no longer in the feed, or the cursor is not of this database: read the lists again.',
  ],

  too_many_webhooks: [409, 'The caller has the maximum number of webhooks.'],

  precondition_failed: [412, 'A condition in the headers of the request does not hold.'],
  body_too_large: [413, 'The body has more bytes than the operation takes.'],
  encoding_unsupported: [415, 'The encoding of the body is not supported.'],
  range_not_satisfiable: [416, 'The file does not have the range that was asked for.'],
  host_unknown: [421, 'The service does not answer to the host that the request names.'],
  invalid_request: [422, 'Path, query, headers or body are not what the operation takes: `detail` lists it.'],

  rate_limited: [
    429,
    'The token, the address without one, or the webhook used up its requests of this minute, or the person its choices of a main of this hour.',
  ],
  caller_errors_used_up: [429, "The caller's requests caused too many errors at the provider."],
  too_many_waiting: [
    429,
    'The caller has the maximum number of waiting requests, or the whole process that of requests for events.',
  ],
  too_many_joined_answers: [429, 'The caller has the maximum number of concurrent joined answers.'],
  headers_too_large: [431, 'The headers of the request are too large.'],

  internal_error: [500, 'An unforeseen error.'],

  provider_unavailable: [502, 'The provider cannot be reached, or its answer cannot be used.'],
  provider_pages_changed: [502, 'The pages of a list changed while they were read; asking again may help.'],
  voice_server_unavailable: [502, 'The voice server cannot be reached, or its answer cannot be used.'],

  database_unavailable: [503, 'The database cannot be reached.'],
  database_not_migrated: [503, 'The database lacks migrations.'],
  provider_limits_used_up: [503, "The provider's limits are used up at the moment."],
  forwarding_busy: [503, 'Too many requests are being forwarded at the moment.'],
  encryption_key_missing: [503, 'A process lacks an encryption key that others of the service use.'],
  service_starting: [503, 'The service is starting.'],
  service_stopping: [503, 'The service is stopping.'],

  provider_timeout: [504, 'The provider did not answer in time.'],

  provider_refused: [
    'its own',
    'The provider refused a forwarded request; `status_code` is the status of its answer.',
  ],
} as const satisfies Readonly<Record<string, readonly [status: number | 'its own', meaning: string]>>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The codes that come with a status, in their order; a refusal of the provider's can come with any of its own. */
export function codesWith(status: number): ErrorCode[] {
  return (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => ERROR_CODES[code][0] === status);
}
