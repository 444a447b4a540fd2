/** OpenID Connect: the applications that let people sign in here, and where the protocol is spoken. */
import { z } from 'zod';
import { level } from './access.ts';
import { c, component, DateTime, field, MAX_LIST, ObjectId, ObjectIdInUrl } from './common.ts';
import { errors } from './error-body.ts';
import { Name } from './text.ts';

/**
 * Paths of the protocol's endpoints below the base URL, and their methods; from `interaction` on for browsers only. The
 * key set is shared by all tokens.
 */
export const OIDC_ENDPOINTS = {
  discovery: { path: '/.well-known/openid-configuration', methods: ['GET'] },
  authorization: { path: '/oidc/auth', methods: ['GET', 'POST'] },
  resume: { path: '/oidc/auth/:uid', methods: ['GET'] },
  token: { path: '/oidc/token', methods: ['POST'] },
  userinfo: { path: '/oidc/userinfo', methods: ['GET', 'POST'] },
  introspection: { path: '/oidc/introspection', methods: ['POST'] },
  revocation: { path: '/oidc/revocation', methods: ['POST'] },
  logout: { path: '/oidc/logout', methods: ['GET', 'POST'] },
  confirmLogout: { path: '/oidc/logout/confirm', methods: ['POST'] },
  loggedOut: { path: '/oidc/logout/success', methods: ['GET'] },
  interaction: { path: '/oidc/interaction/:uid', methods: ['GET'] },
  login: { path: '/oidc/interaction/:uid/login', methods: ['GET'] },
  again: { path: '/oidc/interaction/:uid/again', methods: ['GET'] },
  deny: { path: '/oidc/interaction/:uid/deny', methods: ['GET'] },
  consent: { path: '/oidc/interaction/:uid/consent', methods: ['POST'] },
} as const;

/** Maximum length of an application's URI, in characters. */
const MAX_URI = 2000;
/** Maximum number of redirect URIs of one application. */
const MAX_URIS = 20;

/** Loopback names and addresses: requests to them do not leave the browser's machine, so http is safe. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Why a URI cannot be a redirect URI; undefined when it can. */
function redirectFault(value: string): string | undefined {
  if (value.length > MAX_URI) return `Must have at most ${MAX_URI} characters`;
  if (!/^https?:\/\/[!-~]+$/i.test(value) || !URL.canParse(value)) {
    return 'Must be an https URL, or an http URL of this machine';
  }
  const url = new URL(value);
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    return 'Must be https, unless it leads to localhost or a loopback address';
  }
  if (url.username !== '' || url.password !== '') return 'Must not hold a user name or password';
  if (value.includes('#')) return 'Must not have a fragment';
  return undefined;
}

const RedirectUri = z.string().superRefine((value, ctx) => {
  const fault = redirectFault(value);
  if (fault !== undefined) ctx.addIssue({ code: 'custom', message: fault });
});

/** A URI of the same kind, or an empty text for none. */
const LogoutUri = z.string().superRefine((value, ctx) => {
  const fault = value === '' ? undefined : redirectFault(value);
  if (fault !== undefined) ctx.addIssue({ code: 'custom', message: fault });
});

const RedirectUris = z.array(RedirectUri).min(1, 'Must hold at least one').max(MAX_URIS);
const LogoutRedirectUris = z.array(RedirectUri).max(MAX_URIS);
const AllowedGroups = z.array(ObjectIdInUrl).max(MAX_LIST);

export const SigningAlgorithm = component(
  z.enum(['RS256', 'EdDSA']),
  'SigningAlgorithm',
  'RS256 is what every application of OpenID Connect understands.',
  'RS256',
);

const WORDS = {
  client_name: 'How the application is called where people are asked whether it may know them.',
  redirect_uris: `Where browsers come back to, 1 to ${MAX_URIS}: https, or http of localhost and loopback addresses. Compared exactly, letter by letter.`,
  post_logout_redirect_uris: 'Where browsers may go to after a logout; compared exactly, too.',
  backchannel_logout_uri:
    'Called by POST when a session of the application ends; null where nothing is called. Addresses that are not public are refused unless CALLBACK_ALLOW_PRIVATE is set.',
  allowed_groups: 'Ids of groups, autogroups too: users who are in none of them are refused.',
  first_party: 'Whether people are not asked before it first learns who they are.',
  id_token_signed_response_alg: 'What its ID tokens are signed with.',
} as const;

const optional = {
  post_logout_redirect_uris: field(LogoutRedirectUris.nullish(), WORDS.post_logout_redirect_uris),
  backchannel_logout_uri: field(
    LogoutUri.nullish(),
    `${WORDS.backchannel_logout_uri} An empty text removes it.`,
  ),
  allowed_groups: field(
    AllowedGroups.nullish(),
    `${WORDS.allowed_groups} An empty list removes the restriction; it changes nothing where the list is empty because its groups were deleted.`,
  ),
  first_party: field(z.boolean().nullish(), WORDS.first_party),
  id_token_signed_response_alg: field(
    SigningAlgorithm.nullish(),
    `${WORDS.id_token_signed_response_alg} RS256 at first, or EdDSA where the service has no RSA key.`,
  ),
};

const EXAMPLE = {
  client_name: 'Wiki',
  redirect_uris: ['https://wiki.example/oauth2/callback'],
  post_logout_redirect_uris: ['https://wiki.example/'],
  backchannel_logout_uri: 'https://wiki.example/oauth2/logout',
  allowed_groups: null,
  first_party: false,
  id_token_signed_response_alg: 'RS256' as const,
};

export const PostOidcClient = component(
  z
    .object({
      client_name: field(Name, WORDS.client_name),
      redirect_uris: field(RedirectUris, WORDS.redirect_uris),
      ...optional,
      public: field(
        z.boolean().nullish(),
        'Whether it runs where no secret is safe, in a browser or on a phone: it gets none, and PKCE proves it. Never changes.',
      ),
    })
    .strict(),
  'PostOidcClient',
  'A new application.',
  { ...EXAMPLE, public: false },
);
export type PostOidcClient = z.infer<typeof PostOidcClient>;

export const PutOidcClient = component(
  z
    .object({
      client_name: field(Name.nullish(), WORDS.client_name),
      redirect_uris: field(RedirectUris.nullish(), WORDS.redirect_uris),
      ...optional,
      public: field(
        z.boolean().nullish(),
        'Never changes: what it is may be sent, so that the body of the registration can be sent again; anything else is a 422.',
      ),
    })
    .strict(),
  'PutOidcClient',
  'What to change about an application. Null means the same as leaving a field out.',
  { redirect_uris: ['https://wiki.example/oauth2/callback'], allowed_groups: ['66f2a1b3c4d5e6f708192a3c'] },
);
export type PutOidcClient = z.infer<typeof PutOidcClient>;

const RECORD = {
  client_id: field(ObjectId, 'What the application calls itself in the protocol.'),
  client_name: field(z.string(), WORDS.client_name),
  redirect_uris: field(z.array(z.string()), WORDS.redirect_uris),
  post_logout_redirect_uris: field(z.array(z.string()), WORDS.post_logout_redirect_uris),
  backchannel_logout_uri: field(z.string().nullable(), WORDS.backchannel_logout_uri),
  public: field(z.boolean(), 'Whether it has no secret.'),
  allowed_groups: field(
    z.array(ObjectId).nullable(),
    `${WORDS.allowed_groups} Null: everybody who may log in is admitted. Empty: the groups were deleted, and nobody is.`,
  ),
  first_party: field(z.boolean(), WORDS.first_party),
  id_token_signed_response_alg: field(SigningAlgorithm, WORDS.id_token_signed_response_alg),
  created_on: DateTime,
  last_used_on: field(DateTime.nullable(), 'When it was last issued tokens, to the minute; null if never.'),
};

const SHOWN = {
  client_id: '66f2a1b3c4d5e6f708192a3e',
  ...EXAMPLE,
  public: false,
  created_on: '2026-03-02T07:05:30.125Z',
  last_used_on: null,
};

export const OidcClient = component(
  z.object(RECORD),
  'OidcClient',
  'An application that lets people sign in here by OpenID Connect.',
  SHOWN,
);
export type OidcClient = z.infer<typeof OidcClient>;

const Secret = z.string();

export const NewOidcClient = component(
  z.object({
    ...RECORD,
    client_secret: field(Secret.optional(), 'Shown only in this answer; a public application has none.'),
  }),
  'NewOidcClient',
  'A new application, with its secret.',
  { ...SHOWN, client_secret: 'c0Hn1kq8T5wYb3uLZr7sXv2Qd9eJ4mGa6fPiOyKtRUE' },
);
export type NewOidcClient = z.infer<typeof NewOidcClient>;

export const OidcClientSecret = component(
  z.object({
    client_id: field(ObjectId, 'The application.'),
    client_secret: field(Secret, 'Shown this once.'),
  }),
  'OidcClientSecret',
  'A new secret of an application.',
  {
    client_id: '66f2a1b3c4d5e6f708192a3e',
    client_secret: 'c0Hn1kq8T5wYb3uLZr7sXv2Qd9eJ4mGa6fPiOyKtRUE',
  },
);
export type OidcClientSecret = z.infer<typeof OidcClientSecret>;

const byId = z.object({
  client_id: field(ObjectIdInUrl, 'Id of the application.', '66f2a1b3c4d5e6f708192a3e'),
});

export const oidcRoutes = c.router({
  listClients: {
    method: 'GET',
    path: '/oidc/client',
    summary: 'List OpenID Connect clients',
    description: 'The applications that let people sign in here, ordered by name ignoring case, then by id.',
    responses: { 200: field(z.array(OidcClient), 'The applications.'), ...errors() },
    metadata: { positioned: true, operationId: 'listOidcClients', ...level(10) },
  },
  getClient: {
    method: 'GET',
    path: '/oidc/client/:client_id',
    summary: 'Get an OpenID Connect client',
    description: 'One of these applications; its secret is stored as a hash, and shown by no operation.',
    pathParams: byId,
    responses: { 200: field(OidcClient, 'The application.'), ...errors(404) },
    metadata: { operationId: 'getOidcClient', ...level(10) },
  },
  createClient: {
    method: 'POST',
    path: '/oidc/client',
    summary: 'Register an OpenID Connect client',
    description:
      'Lets an application sign people in with the authorization code flow and PKCE. The issuer is the base URL of the service: everything else the application reads from `/.well-known/openid-configuration`.',
    body: PostOidcClient,
    responses: { 201: field(NewOidcClient, 'The new application.'), ...errors(404, 413, 415) },
    metadata: { operationId: 'createOidcClient', ...level(10) },
  },
  updateClient: {
    method: 'PUT',
    path: '/oidc/client/:client_id',
    summary: 'Change an OpenID Connect client',
    description:
      'Changes count at once: a user who is no longer in any allowed group loses codes and tokens of the application, which is notified by back-channel logout.',
    pathParams: byId,
    body: PutOidcClient,
    responses: { 200: field(OidcClient, 'The application as it is now.'), ...errors(404, 413, 415) },
    metadata: { operationId: 'updateOidcClient', ...level(10) },
  },
  deleteClient: {
    method: 'DELETE',
    path: '/oidc/client/:client_id',
    summary: 'Delete an OpenID Connect client',
    description: 'With its grants, codes and tokens; people stay signed in at other applications.',
    pathParams: byId,
    responses: { 200: c.noBody(), ...errors(404, 413, 415) },
    metadata: { operationId: 'deleteOidcClient', ...level(10) },
  },
  renewSecret: {
    method: 'POST',
    path: '/oidc/client/:client_id/secret',
    summary: 'Renew the secret of an OpenID Connect client',
    description: 'The former secret is invalid at once. A public application has no secret: 409.',
    pathParams: byId,
    body: c.noBody(),
    responses: { 200: field(OidcClientSecret, 'The new secret.'), ...errors(404, 409, 413, 415) },
    metadata: { operationId: 'renewOidcClientSecret', codes: ['client_is_public'], ...level(10) },
  },
});
