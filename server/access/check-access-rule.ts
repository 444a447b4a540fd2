import { type AccessRule, type TokenKind, UNAUTHORIZED } from '../../contract/access.ts';
import type { Lack } from '../shared/lack.ts';

/** The properties of a caller that an access rule looks at. */
export interface Asking {
  readonly token_type: TokenKind;
  readonly level: number;
}

/** Why a caller is refused before any record is read. */
export type Refusal =
  | { readonly reason: 'token-type'; readonly detail: string }
  | { readonly reason: 'level'; readonly lack: Lack };

/** Checks token kind and level against a route's rule (D4, D5, D18); undefined means allowed. */
export function judge(rule: AccessRule, { token_type, level }: Asking): Refusal | undefined {
  const wrongKind = rule.tokens.includes(token_type)
    ? undefined
    : ({ reason: 'token-type', detail: rule.refusal ?? UNAUTHORIZED } as const);
  const least = rule.levelOf?.[token_type] ?? rule.level;
  const tooLow =
    level >= least ? undefined : ({ reason: 'level', lack: { level: least, has: level } } as const);
  return rule.levelFirst ? (tooLow ?? wrongKind) : (wrongKind ?? tooLow);
}

/** Checks the level for the fields that a request sets (D15); a field that is null or absent is not set (D3). */
export function judgeFields(rule: AccessRule, body: unknown, level: number): Lack | undefined {
  const sent = (body ?? {}) as Readonly<Record<string, unknown>>;
  for (const [field, least] of Object.entries(rule.fields ?? {})) {
    if (sent[field] != null && level < least) return { level: least, has: level, to: `setting ${field}` };
  }
  return undefined;
}
