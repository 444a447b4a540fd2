import { type AccessRule, type TokenKind, UNAUTHORIZED } from '../../contract/access.ts';

/** Why a caller is turned away before any record is looked at: which status, which words. */
export type Refusal = { readonly status: 401; readonly detail: string } | { readonly status: 403 };

/** Judges token kind and level against a route's rule (D4, D5, D18); undefined lets the caller in. */
export function judge(rule: AccessRule, kind: TokenKind, level: number): Refusal | undefined {
  const wrongKind = rule.tokens.includes(kind)
    ? undefined
    : ({ status: 401, detail: rule.refusal ?? UNAUTHORIZED } as const);
  const tooLow = level >= rule.level ? undefined : ({ status: 403 } as const);
  return rule.levelFirst ? (tooLow ?? wrongKind) : (wrongKind ?? tooLow);
}
