/**
 * All error codes (D73), each with its status and meaning. Answers carry them beside `detail`. A refusal of the
 * provider keeps the provider's own status.
 */
export const ERROR_CODES = {
  http_unreadable: [400, 'The request is not readable as HTTP.'],

  token_missing: [401, 'The request carries no token.'],
  token_malformed: [401, 'What stands in the Authorization header is no token of this service.'],
  token_invalid: [401, "The token's signature, key, issuer or claims are not those of this service."],
  token_expired: [401, 'The token has expired: sign in again.'],
  token_revoked: [401, 'The token was deleted, or is not known here.'],
  token_type_refused: [401, 'The operation takes tokens of another type.'],
  login_not_allowed: [401, 'Whoever answers for the token is not allowed to log in.'],

  level_too_low: [403, "The clearance level of the token's owner is too low."],
  no_authority: [403, 'There is no authority over the record that the request is about.'],
  forbidden_to_all: [403, 'Nobody may do this, whatever their level.'],

  not_found: [404, 'A record that the request names does not exist.'],
  path_unknown: [404, 'The service has no such path.'],
  ext_path_unknown: [404, "The game's API has no such path."],
  no_refresh_token: [404, 'No valid refresh token of the character has the scope that is needed.'],
  state_code_unknown: [404, 'The state code is not one of this token, or does not live any more.'],
  voice_not_configured: [404, 'This instance has no voice server.'],
  voice_challenge_missing: [404, 'The user has no voice challenge, or not any more.'],
  voice_client_missing: [404, 'Nobody on the voice server bears the nickname of the challenge.'],

  method_not_allowed: [405, 'The path does not know the method; `Allow` names those that it knows.'],
  request_timeout: [408, 'The request did not arrive in time.'],

  name_taken: [409, 'Another record has this name.'],
  autogroup_kept: [409, 'The service itself keeps what the request would change about an autogroup.'],
  joining_closed: [409, 'The group takes nobody but whom its owner adds.'],
  not_eligible: [409, 'The policy of the group does not let the user be a member.'],
  already_member: [409, 'The user is a member of the group already.'],
  too_many_applications: [409, 'The user has, or made lately, as many applications as one may.'],
  application_pending: [409, 'The user has a pending application to the group.'],
  reapply_later: [409, 'The user was rejected too lately to apply again.'],
  application_decided: [409, 'The application is decided, withdrawn or over.'],
  owner_stays: [409, 'The owner of a group is a member as long as it owns the group.'],
  main_kept: [409, 'The main of a person with more characters stays until another one is chosen.'],
  client_is_public: [409, 'A public client has no secret to renew.'],
  too_many_guest_codes: [409, 'The corporation has as many living guest codes as it may have.'],

  resync: [
    410,
    'The events after this cursor are not kept for the feed any more, or are not those of this database: read the lists anew.',
  ],

  too_many_webhooks: [409, 'Whoever asks has as many webhooks as one may have.'],

  precondition_failed: [412, 'A condition in the headers of the request does not hold.'],
  body_too_large: [413, 'The body has more bytes than the operation takes.'],
  encoding_unsupported: [415, 'The body is encoded in a way that is not taken.'],
  range_not_satisfiable: [416, 'The file does not have the range that was asked for.'],
  host_unknown: [421, 'The service does not answer to the host that the request names.'],
  invalid_request: [422, 'Path, query, headers or body are not what the operation takes: `detail` lists it.'],

  rate_limited: [429, 'The token, or the address without one, used up its requests of this minute.'],
  caller_errors_used_up: [429, "The caller's requests caused too many errors at the provider."],
  too_many_waiting: [429, 'The caller has as many requests that wait for events as one may have.'],
  too_many_joined_answers: [429, 'The caller has as many joined answers at work as one may have.'],
  headers_too_large: [431, 'The headers of the request are too large.'],

  internal_error: [500, 'An error that nobody foresaw.'],

  provider_unavailable: [502, 'The provider cannot be reached, or its answer cannot be used.'],
  provider_pages_changed: [502, 'The pages of a list changed while they were read; asking again may help.'],
  voice_server_unavailable: [502, 'The voice server cannot be reached, or its answer cannot be used.'],

  database_unavailable: [503, 'The database cannot be reached.'],
  database_not_migrated: [503, 'The database lacks migrations.'],
  provider_limits_used_up: [503, 'The limits of the provider are used up for the moment.'],
  forwarding_busy: [503, 'Too many requests are being forwarded at the moment.'],
  service_starting: [503, 'The service is starting.'],
  service_stopping: [503, 'The service is stopping.'],

  provider_timeout: [504, 'The provider did not answer in time.'],

  provider_refused: [
    'its own',
    'The provider refused a forwarded request; `status_code` is what it answered.',
  ],
} as const satisfies Readonly<Record<string, readonly [status: number | 'its own', meaning: string]>>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The codes that come with a status, in their order; a refusal of the provider's can come with any of its own. */
export function codesWith(status: number): ErrorCode[] {
  return (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => ERROR_CODES[code][0] === status);
}
