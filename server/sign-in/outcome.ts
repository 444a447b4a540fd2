import type { ExtScope } from '../../contract/scopes.ts';
import type { Source } from '../why/reasons.ts';

/** The outcome of a request to the sign-in callback (D26). */
export type SignInOutcome =
  | { readonly kind: 'signed-in'; readonly redirectTo: string }
  | {
      readonly kind: 'refused';
      readonly refusal: Refusal;
      readonly waysOn: WaysOn;
      /** The cookie that binds a second try to the browser (D82). */
      readonly cookie?: string | undefined;
    };

export interface Admitted {
  readonly kind: 'admitted';
  /**
   * The application's callback URL with the user token; undefined when the sign-in continues in an OpenID Connect
   * interaction.
   */
  readonly callback: string | undefined;
}

export type Refusal =
  | { readonly kind: 'bad-request'; readonly reason: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'provider-failed' }
  /** So the browser says, for which anybody may have made up the address. */
  | { readonly kind: 'told-of-failure' }
  | NotAllowed
  | TooFewScopes;

export interface NotAllowed {
  readonly kind: 'not-allowed';
  /** Who may not log in and why, in the same words as `/user/{…}/why` uses (D120). */
  readonly sentence: string;
  /** Groups and coalitions that forbid the login; empty when the reason is that none allows it. */
  readonly refusedBy: readonly Source[];
}

export interface TooFewScopes {
  readonly kind: 'too-few-scopes';
  readonly name: string;
  readonly characterId: number;
  readonly required: readonly ExtScope[];
  readonly provided: readonly ExtScope[];
}

/** Whether an event tells of the refusal (D26b). */
export function isRecorded({ kind }: Admitted | Refusal): boolean {
  return kind === 'not-allowed' || kind === 'too-few-scopes';
}

/** Links that a refused player is offered. */
export interface WaysOn {
  /** The origin of the application's callback, where the application is known. */
  readonly application?: string | undefined;
  /** Returns to the OpenID Connect application with an error. */
  readonly giveUp?: string | undefined;
  /** Repeats the sign-in with another character. */
  readonly asAnother?: string | undefined;
  /** Repeats the sign-in at the provider. */
  readonly again?: string | undefined;
}

/** For a state code that is not stored, or not any more. */
export const UNKNOWN = badRequest('This sign-in is not known here, or not any more.');
export const COMPLETED = badRequest('This sign-in was completed already.');
export const EXPIRED = badRequest('This sign-in was not completed in time.');
export const OTHER_OWNER = badRequest('Another owner of this character signed in at the same moment.');
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
