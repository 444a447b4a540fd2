/**
 * The vocabulary of the access rules. Every route carries one as ts-rest metadata (D18): the server enforces
 * it, the OpenAPI document publishes it, and a test walks operation × token kind × level × authority.
 */

import type { ErrorCode } from './error-codes.ts';

/** Kinds of token (interface "Token"): dynamic application, permanent application, user. */
export const TOKEN_KINDS = ['dyn', 'per', 'use'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** A guest's level: it grants nothing, so `>=0` fails (decisions §3). */
export const GUEST_LEVEL = -1;
export const MAX_LEVEL = 10;
/** From here on one administers: everybody's groups, login switches, lowering of levels (D15, D16). */
export const ADMINISTRATOR_LEVEL = 9;
/** Character id of the user that stands for the service itself: no character of the game. */
export const BUILT_IN_USER = 0;

/** What an operation touches, judged against the caller once the record is known (D12 to D14). */
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
  /** Kinds of tokens that need another level than {@link level}, which is the least of all (D93). */
  readonly levelOf?: Readonly<Partial<Record<TokenKind, number>>>;
  readonly authority?: Authority;
  /** Fields of the body that need more than {@link level} when they are set: the least level for each (D15). */
  readonly fields?: Readonly<Record<string, number>>;
  /** Body of the 401 for a wrong token kind (D4); the default names dynamic app tokens. */
  readonly refusal?: string;
  /** Judge the level before the token kind ("Token operations" rule 2). */
  readonly levelFirst?: true;
  /** One sentence on what is checked besides, for the documentation: "The caller must own the group." */
  readonly besides?: string;
}

/** What a route's `metadata` holds. `access: 'public'` is the provider callback alone. */
export interface RouteMetadata {
  readonly access: AccessRule | 'public';
  /** Answers with whatever 4xx the game refuses with, each in the form of the route's 400 (D30). */
  readonly mirrors?: true;
  /** Says in `Castellan-Position` which events the answer holds already (D92). */
  readonly positioned?: true;
  /** Media types that it answers in besides JSON, to those who accept them, each with how such an answer begins. */
  readonly also?: Readonly<Record<string, string>>;
  /**
   * What it refuses with by itself (D73): beside what follows from its rule and its statuses, and of a 404, 409 and 502
   * all that it can answer, where that is not the usual code.
   */
  readonly codes?: readonly ErrorCode[];
  /** Takes `dry_run=true`, which stores nothing and answers with a Preview (D121). */
  readonly previews?: true;
}

export const DYN_REFUSED = 'Cannot use a dynamic app token for this path.';
export const UNAUTHORIZED = 'Unauthorized';

/** The usual rule: any token but a dynamic one, whose owner has at least `level`. */
export function level(
  least: number,
  more: Omit<Partial<AccessRule>, 'tokens' | 'level'> = {},
): { readonly access: AccessRule } {
  return { access: { tokens: ['per', 'use'], level: least, refusal: DYN_REFUSED, ...more } };
}
