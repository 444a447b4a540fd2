import { type AccessTokenDraft, GAME_AUDIENCE } from './access-token.ts';

/**
 * Access tokens that a client must refuse, each as a change of a good one: for
 * `provider.nextAccessToken(FORGERIES['alg none'])` and for walking all of them.
 */
export const FORGERIES = {
  'alg none': (draft) => {
    draft.header.alg = 'none';
    draft.signer = 'none';
  },
  'HS256 with the public key as secret': (draft) => {
    draft.header.alg = 'HS256';
    draft.signer = 'public';
  },
  'foreign key with our kid': (draft) => {
    draft.signer = 'foreign';
  },
  'unknown kid': (draft) => {
    draft.header.kid = 'Nobody-Knows-This-Key';
    draft.signer = 'foreign';
  },
  'wrong issuer': (draft) => {
    draft.claims.iss = 'https://login.elsewhere.invalid';
  },
  'audience without the application': (draft) => {
    draft.claims.aud = GAME_AUDIENCE;
  },
  'audience without the game': (draft) => {
    draft.claims.aud = draft.claims.azp;
  },
  'audience of another application': (draft) => {
    draft.claims.aud = ['another-application', GAME_AUDIENCE];
    draft.claims.azp = 'another-application';
  },
  expired: (draft) => {
    draft.claims.iat = Number(draft.claims.iat) - 7_200;
    draft.claims.exp = Number(draft.claims.exp) - 7_200;
  },
  'without exp': (draft) => {
    delete draft.claims.exp;
  },
  'without jti': (draft) => {
    delete draft.claims.jti;
  },
  'absurd lifetime': (draft) => {
    draft.claims.exp = Number(draft.claims.iat) + 10 * 365 * 86_400;
  },
  'subject of another kind': (draft) => {
    draft.claims.sub = String(draft.claims.sub).replace('CHARACTER:', 'CORPORATION:');
  },
  'subject without a number': (draft) => {
    draft.claims.sub = 'CHARACTER:EVE:1e9';
  },
} as const satisfies Record<string, (draft: AccessTokenDraft) => void>;
