/** For back ends: who calls, by the user token that the browser sends along. */
export { createGuard, type Guard, type GuardOptions, type Requirement } from './server/guard.ts';
export { createVerifier, TokenError, type UserClaims, type VerifierOptions } from './server/verify.ts';
