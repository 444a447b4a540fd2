import type { ExtScope } from '../../contract/scopes.ts';
import type { Source } from '../why/reasons.ts';

/** How a provider callback ends (D26). */
export type SignInOutcome =
  | { readonly kind: 'signed-in'; readonly redirectTo: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly waysOn: WaysOn };

export interface Admitted {
  readonly kind: 'admitted';
  /** The application's callback with the user token; undefined: the sign-in goes on in OpenID Connect. */
  readonly callback: string | undefined;
}

export type Refusal =
  | { readonly kind: 'bad-request'; readonly reason: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'provider-failed' }
  | NotAllowed
  | TooFewScopes;

export interface NotAllowed {
  readonly kind: 'not-allowed';
  /** Who is not let in, and why, as the service says it whenever it is asked (D120). */
  readonly sentence: string;
  /** Whoever says no; nobody: there is none who says yes. */
  readonly refusedBy: readonly Source[];
}

export interface TooFewScopes {
  readonly kind: 'too-few-scopes';
  readonly name: string;
  readonly characterId: number;
  readonly required: readonly ExtScope[];
  readonly provided: readonly ExtScope[];
}

/** Where a player can go who was refused. */
export interface WaysOn {
  /** The origin of the application's callback, where the application is known. */
  readonly application?: string | undefined;
  /** Takes the refusal back to the application of OpenID Connect. */
  readonly giveUp?: string | undefined;
  /** The same sign-in, as somebody else. */
  readonly asAnother?: string | undefined;
  /** A login URL for the same sign-in. */
  readonly again?: string | undefined;
}

/** What is wrong with an address that leads nowhere, in words for the player. */
export const UNKNOWN = badRequest('This sign-in is not known here, or not any more.');
export const COMPLETED = badRequest('This sign-in was completed already.');
export const EXPIRED = badRequest('This sign-in was not completed in time.');
export const TRIED_TOO_OFTEN = badRequest('This sign-in was tried too often with codes that are not valid.');
export const REFUSED_CODE = badRequest(
  'The code in the address is not valid: it was used already, or is too old. That happens when a page is opened twice.',
);

export const OTHER_BROWSER = badRequest(
  'This sign-in was begun in another browser, or its cookies were deleted meanwhile.',
);

function badRequest(reason: string): Refusal {
  return { kind: 'bad-request', reason };
}
