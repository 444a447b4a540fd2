/**
 * Types of the access rules. Every route has a rule in its ts-rest metadata (D18): the server enforces it, the OpenAPI
 * document publishes it, and a test checks each combination of operation, token kind, level and authority.
 */

import type { ErrorCode } from './error-codes.ts';

/** Kinds of token (D20): dynamic application, permanent application, user. */
export const TOKEN_KINDS = ['dyn', 'per', 'use'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** The level of guests: it grants nothing, as it is below 0 (D28). */
export const GUEST_LEVEL = -1;
/** All levels of members (docs/rules.md). */
export const LEVELS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const;
export type Level = (typeof LEVELS)[number];
export const MAX_LEVEL = 10 satisfies Level;
/** The lowest level that administers: everybody's groups, login switches, lowering of levels (D15, D16). */
export const ADMINISTRATOR_LEVEL = 9;
/** Character id of the user that stands for the service itself: no character of the game. */
export const BUILT_IN_USER = 0;

/** The record over which an operation needs authority (D12 to D14). */
export interface Authority {
  readonly over: 'user' | 'corporation' | 'alliance' | 'coalition';
  readonly mode: 'read' | 'write';
  /** The path parameter that names the record. */
  readonly param: string;
}

export interface AccessRule {
  /** Token kinds that may call; any other is a 401 with {@link refusal}. */
  readonly tokens: readonly TokenKind[];
  /** Least clearance level of the token's owner; below it is a 403 (D5). -1 lets guests in. */
  readonly level: number;
  /** Levels of token kinds that need more than {@link level}, which is the lowest of all (D93). */
  readonly levelOf?: Readonly<Partial<Record<TokenKind, number>>>;
  readonly authority?: Authority;
  /** Fields of the body that need more than {@link level} when they are set: the least level for each (D15). */
  readonly fields?: Readonly<Record<string, number>>;
  /** Body of the 401 for a wrong token kind (D4); the default names dynamic app tokens. */
  readonly refusal?: string;
  /** Whether the level is checked before the token kind (D4, Token rule 2). */
  readonly levelFirst?: true;
  /** A sentence for the documentation on what else is checked: "The caller must own the group." */
  readonly besides?: string;
}

/** The type of a route's `metadata`. Only the sign-in callback has `access: 'public'`. */
export interface RouteMetadata {
  readonly access: AccessRule | 'public';
  /** Whether any 4xx of the provider is passed on, in the form of the route's 400 (D30). */
  readonly mirrors?: true;
  /** Whether its answers have `Castellan-Position`: the position up to which they include all events (D92). */
  readonly positioned?: true;
  /** Media types of its answers besides JSON, by the `Accept` header, each with an example of the beginning. */
  readonly also?: Readonly<Record<string, string>>;
  /**
   * Error codes that it can answer (D73), in addition to those that follow from its rule and statuses. For 404, 409 and
   * 502 the complete list, if it differs from the usual code.
   */
  readonly codes?: readonly ErrorCode[];
  /** Whether it supports `dry_run=true`, which stores nothing and answers with a Preview (D121). */
  readonly previews?: true;
}

export const DYN_REFUSED = 'Cannot use a dynamic app token for this path.';
export const UNAUTHORIZED = 'Unauthorized';

/** The usual rule: any token but a dynamic one, whose owner has at least this level. */
export function level(
  least: number,
  more: Omit<Partial<AccessRule>, 'tokens' | 'level'> = {},
): { readonly access: AccessRule } {
  return { access: { tokens: ['per', 'use'], level: least, refusal: DYN_REFUSED, ...more } };
}
