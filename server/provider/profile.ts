/** What is particular to the provider's sign-on (provider profile: EVE Online's SSO v2). */
export const profile = {
  /** Both spellings of `iss` that its access tokens carry, besides those of its own metadata. */
  issuers: ['login.eveonline.com', 'https://login.eveonline.com'],
  /** Every access token has this audience besides the client id. */
  audience: 'EVE Online',
  subject: /^CHARACTER:EVE:([1-9]\d{0,15})$/,
  /** Pinned: its key set also holds a key for another algorithm. */
  algorithm: 'RS256',
  /** Seconds that an access token lives at the most; it says 20 minutes. */
  longestLife: 3600,
} as const;
