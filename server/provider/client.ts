import type { ExtScope } from '../../contract/scopes.ts';

export interface ProviderRequest {
  /** Unversioned path without a trailing slash: `/characters/2112000001/skills`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Ask with this user's access token for this scope; absent: a public request. */
  readonly as?: { readonly characterId: number; readonly scope: ExtScope };
  /**
   * Whose budget (D33): sign-in and jobs (`service`) may use what is kept for them; a caller has a budget of its
   * own besides, under the character id of its token's owner, for the built-in user with the token's uuid.
   */
  readonly on: 'service' | { readonly caller: string };
  /** Ids of the two bulk reads, `/characters/affiliation` and `/universe/names`. */
  readonly body?: readonly number[];
}

/** What the provider answered below 500. Shared with identical requests: not to be changed. */
export interface ProviderAnswer {
  readonly status: number;
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON; null for an empty body. */
  readonly data: unknown;
}

export interface ProviderClient {
  /** Throws ProviderError for everything but an answer below 500. */
  ask(request: ProviderRequest): Promise<ProviderAnswer>;
}
