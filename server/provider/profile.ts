/** The particulars of the provider's sign-on (EVE Online's SSO v2). */
export const profile = {
  /** Both spellings of `iss` in its access tokens, in addition to the issuer in its metadata. */
  issuers: ['login.eveonline.com', 'https://login.eveonline.com'],
  /** Every access token has this audience besides the client id. */
  audience: 'EVE Online',
  subject: /^CHARACTER:EVE:([1-9]\d{0,15})$/,
  /** Fixed, because its key set also contains a key for another algorithm. */
  algorithm: 'RS256',
  /** Maximum accepted lifetime of an access token in seconds; the documented one is 20 minutes. */
  longestLife: 3600,
} as const;
