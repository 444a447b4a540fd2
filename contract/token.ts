/** Tokens: what callers authenticate with. */
import { z } from 'zod';
import { GUEST_LEVEL, level, TOKEN_KINDS, UNAUTHORIZED } from './access.ts';
import { c, component, DateTime, field, Jwt, MAX_LIST } from './common.ts';
import { errors } from './error-body.ts';
import { httpUrl } from './http-url.ts';
import { ExtScope, PUBLIC_SCOPE } from './scopes.ts';
import { LongText, StateCode } from './text.ts';
import { User } from './user.ts';

const TokenType = field(
  z.enum(TOKEN_KINDS),
  'dyn: dynamic application token. per: permanent application token. use: user token.',
);

export const Token = component(
  z.object({
    callback: field(z.string().nullable(), 'Where a sign-in that this app token started ends.'),
    comments: z.string().nullable(),
    created_on: DateTime,
    expires_on: field(DateTime.nullable(), 'Null for app tokens: they do not expire.'),
    owner: field(
      User,
      "The user whose clearance counts. For a token made from a permanent app token, clearance_level is what the token can do: never above the present level of that app token's owner.",
    ),
    parent: field(
      z.string().uuid().nullable(),
      'Uuid of the token that this one was made with; deleting that deletes this.',
    ),
    token_type: TokenType,
    uuid: z.string().uuid(),
  }),
  'Token',
  'A token as it is stored. Its text, the JWT, is shown once, when it is made.',
  {
    callback: null,
    comments: null,
    created_on: '2026-03-02T07:05:30.125Z',
    expires_on: '2026-03-03T07:05:30.125Z',
    owner: {
      alliance: 99000001,
      available_ext_scopes: ['publicData'],
      character_id: 2112000001,
      character_name: 'Ada Vale',
      clearance_level: 2,
      coalitions: ['66f2a1b3c4d5e6f708192a3b'],
      corporation: '98000001',
      created_on: '2026-03-01T18:20:00.000Z',
      cumulated_mandatory_ext_scopes: ['publicData'],
      is_ceo_of_alliance: false,
      is_ceo_of_corporation: true,
      tickered_name: '[NLC] Ada Vale',
      updated_on: '2026-03-02T07:05:30.125Z',
    },
    parent: '3f2a8c1e-5b7d-4e9f-8a6b-1c2d3e4f5a6b',
    token_type: 'use',
    uuid: '9d1f0c2b-7a3e-4b5c-8d6e-0f1a2b3c4d5e',
  },
);
export type Token = z.infer<typeof Token>;

const Callback = httpUrl('Where a sign-in ends: it adds `state_code` and `user_token` to the query.');

export const PostAppToken = component(
  z
    .object({
      callback: Callback,
      comments: field(LongText.nullish(), "A comment for people, for example the application's name."),
    })
    .strict(),
  'PostAppToken',
  'A new application token.',
  { callback: 'https://fleet.example/castellan', comments: 'Fleet planner' },
);
export type PostAppToken = z.infer<typeof PostAppToken>;

export const AppToken = component(
  z.object({ tkn: field(Jwt, 'The token to send as `Authorization: Bearer …`. Shown this once.') }),
  'AppToken',
  'A new application token in its signed form.',
  { tkn: '<JWT>' },
);
export type AppToken = z.infer<typeof AppToken>;

export const PostLogin = component(
  z
    .object({
      scopes: field(
        z
          .array(ExtScope)
          .max(MAX_LIST)
          .nullish()
          .transform((scopes) => scopes ?? [PUBLIC_SCOPE]),
        `Scopes to ask the player for; \`["${PUBLIC_SCOPE}"]\` where absent.`,
      ),
      state_code: field(
        StateCode.nullish(),
        'A valid state code of the calling token, or the code of an invitation; generated if absent.',
      ),
    })
    .strict(),
  'PostLogin',
  'A sign-in to start.',
  { scopes: ['ext-location.read_location.v1', PUBLIC_SCOPE] },
);
export type PostLogin = z.infer<typeof PostLogin>;

export const Login = component(
  z.object({
    login_url: field(z.string().url(), 'Where to send the player: the sign-on page of the provider.'),
    state_code: field(
      z.string(),
      'Returned with the user token. Used up by the sign-in that succeeds; valid for 10 minutes, and for another 10 after a player was asked to grant more scopes.',
    ),
  }),
  'Login',
  'A sign-in that was started.',
  {
    login_url:
      'https://sso.example/v2/oauth/authorize?response_type=code&state=0b7c8f7e-6f5d-4c3b-9a21-0f1e2d3c4b5a',
    state_code: '0b7c8f7e-6f5d-4c3b-9a21-0f1e2d3c4b5a',
  },
);
export type Login = z.infer<typeof Login>;

export const UserToken = component(
  z.object({ user_token: field(Jwt, 'The token to send as `Authorization: Bearer …`. Shown this once.') }),
  'UserToken',
  'A new user token in its signed form.',
  { user_token: '<JWT>' },
);
export type UserToken = z.infer<typeof UserToken>;

const createAppToken = {
  tokens: ['per'],
  level: 10,
  levelFirst: true,
  refusal: UNAUTHORIZED,
} as const;

export const tokenRoutes = c.router({
  current: {
    method: 'GET',
    path: '/token',
    summary: 'Get the calling token',
    description:
      'Who is calling, and what they may do at this moment. Applications that verify user tokens by signature ask this before anything privileged: a valid signature does not mean that the token still exists.',
    responses: { 200: field(Token, 'The calling token.'), ...errors() },
    metadata: { operationId: 'getCurrentToken', ...level(0) },
  },
  delete: {
    method: 'DELETE',
    path: '/token',
    summary: 'Delete a token',
    description:
      'Deletes a token of any type together with all that descend from it and the sign-ins that they started. It counts at once, in every process of the service.',
    query: z.object({
      uuid: field(
        z
          .string()
          .regex(
            /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$/,
            'Must be a UUID of version 4',
          )
          .transform((uuid) => uuid.toLowerCase()),
        'UUID (version 4) of the token.',
        '9d1f0c2b-7a3e-4b5c-8d6e-0f1a2b3c4d5e',
      ),
    }),
    responses: { 200: c.noBody(), ...errors(404, 413, 415) },
    metadata: { operationId: 'deleteToken', ...level(10) },
  },
  createDynamic: {
    method: 'POST',
    path: '/token/dyn',
    summary: 'Create a dynamic app token',
    description:
      "For an application that signs its users in: it starts sign-ins and can do nothing else. The new token has the caller's owner as owner and the calling token as parent.",
    body: PostAppToken,
    responses: { 200: field(AppToken, 'The new token.'), ...errors(413, 415) },
    metadata: { operationId: 'createDynamicToken', access: createAppToken },
  },
  createPermanent: {
    method: 'POST',
    path: '/token/per',
    summary: 'Create a permanent app token',
    description:
      "For an application that acts on its own: it can do whatever its owner can. The new token has the caller's owner as owner and the calling token as parent.",
    body: PostAppToken,
    responses: { 200: field(AppToken, 'The new token.'), ...errors(413, 415) },
    metadata: { operationId: 'createPermanentToken', access: createAppToken },
  },
  startLogin: {
    method: 'POST',
    path: '/token/use/from/dyn',
    summary: 'Start the sign-in of a user',
    description:
      "Answers where to send the player. Once signed in, the browser is redirected to the app token's callback with `state_code` and `user_token` in the query, and the service calls the same URL itself with the header `Castellan-Event: sign-in`; an application must never open a browser session on that call alone. The user token lasts 24 hours. A `state_code` that this service did not make, or that belongs to another token, is a 404. For an invitation the login asks for the scopes of the inviting corporation besides.",
    body: PostLogin.default({}),
    responses: { 200: field(Login, 'The sign-in.'), ...errors(404, 413, 415) },
    metadata: {
      operationId: 'startLogin',
      codes: ['state_code_unknown'],
      access: { tokens: ['dyn'], level: 0, refusal: 'Must use a dynamic app token for this path.' } as const,
    },
  },
  createUserToken: {
    method: 'POST',
    path: '/token/use/from/per',
    summary: 'Get a user token from a permanent app token',
    description:
      "The token acts as the built-in user, never above the present level of the app token's owner, lasts 48 hours, and is deleted together with that owner or the app token.",
    body: c.noBody(),
    responses: { 200: field(UserToken, 'The new token.'), ...errors(413, 415) },
    metadata: {
      operationId: 'createUserToken',
      access: {
        tokens: ['per'],
        level: 0,
        refusal: 'Must use a permanent app token for this path.',
      } as const,
    },
  },
  logout: {
    method: 'DELETE',
    path: '/token/current',
    summary: 'Log out',
    description:
      'Deletes the calling token together with all that descend from it. Guests may log out, too. Called with a permanent app token, it ends that application.',
    responses: { 200: c.noBody(), ...errors(413, 415) },
    metadata: { operationId: 'logout', ...level(GUEST_LEVEL) },
  },
});
