/**
 * The access rules, written down a second time: from the interface and the decisions, not from the contract's
 * metadata, and judged by the slowest code that can say it.
 */

export type Kind = 'none' | 'dyn' | 'per' | 'use';

export interface Rule {
  readonly kinds: readonly Kind[];
  readonly level: number;
  /** What a token of another kind is told. */
  readonly otherKinds?: string;
  /** "Token operations" rule 2: the clearance check is made first. */
  readonly levelFirst?: true;
  readonly authority?: 'read' | 'write';
}

const usual = (level: number, authority?: 'read' | 'write'): Rule => ({
  kinds: ['per', 'use'],
  level,
  otherKinds: 'Cannot use a dynamic app token for this path.',
  ...(authority && { authority }),
});
const fromDyn = (level: number): Rule => ({
  kinds: ['dyn'],
  level,
  otherKinds: 'Must use a dynamic app token for this path.',
});
const fromPer = (level: number): Rule => ({
  kinds: ['per'],
  level,
  otherKinds: 'Must use a permanent app token for this path.',
});
const appToken: Rule = { kinds: ['per'], level: 10, otherKinds: 'Unauthorized', levelFirst: true };
const anybody: Rule = { kinds: ['none', 'dyn', 'per', 'use'], level: Number.NEGATIVE_INFINITY };

export const RULES: Readonly<Record<string, Rule>> = {
  'alliance.list': usual(0),
  'alliance.get': usual(0),
  'alliance.tracking': usual(3, 'read'),
  'alliance.register': usual(8),
  'alliance.update': usual(4, 'write'),
  'callback.ext': anybody,
  'coalition.list': usual(0),
  'coalition.get': usual(0),
  'coalition.create': usual(9),
  'coalition.update': usual(6),
  'coalition.delete': usual(9),
  'coalition.tracking': usual(5),
  'corporation.list': usual(0),
  'corporation.get': usual(0),
  'corporation.tracking': usual(1, 'read'),
  'corporation.register': usual(8),
  'corporation.update': usual(2, 'write'),
  'corporation.listGuests': usual(1, 'read'),
  'corporation.createGuestCode': usual(1, 'read'),
  'corporation.deleteGuest': usual(2, 'write'),
  'crash.list': usual(10),
  'crash.get': usual(10),
  'crash.delete': usual(10),
  'ext.forward': usual(0),
  'ext.forwardGet': usual(0),
  'ext.locations': usual(0, 'read'),
  'ext.mails': usual(0, 'read'),
  'ext.mail': usual(0, 'read'),
  'ext.skillPoints': usual(0, 'read'),
  'ext.wallet': usual(0, 'read'),
  'ext.storeLocation': usual(0, 'read'),
  'group.list': usual(0),
  'group.get': usual(0),
  'group.create': usual(9),
  'group.update': usual(0),
  'group.delete': usual(9),
  'system.configuration': usual(10),
  'system.jobs': usual(10),
  'system.runJob': usual(10),
  'token.current': usual(0),
  'token.delete': usual(10),
  'token.createDynamic': appToken,
  'token.createPermanent': appToken,
  'token.startLogin': fromDyn(0),
  'token.createUserToken': fromPer(0),
  'token.logout': usual(-1),
  'user.list': usual(0),
  'user.get': usual(0),
  'user.update': usual(0),
  'user.delete': usual(9),
  'voice.start': usual(0),
  'voice.complete': usual(0),
};

/** D12, as a table: the least level that may read or write at a distance. */
const NEEDED: Readonly<Record<number, Readonly<Record<'read' | 'write', number>>>> = {
  0: { read: 0, write: 1 },
  1: { read: 1, write: 2 },
  3: { read: 3, write: 4 },
  5: { read: 5, write: 6 },
  7: { read: 7, write: 8 },
};

export function mayTouch(level: number, distance: number, mode: 'read' | 'write'): boolean {
  return level >= (NEEDED[distance]?.[mode] ?? Number.POSITIVE_INFINITY);
}

export const FORBIDDEN = { status: 403, detail: 'Insufficient clearance level' } as const;

/** How a caller is turned away, or undefined: past the gate. `distance` to what an operation touches. */
export function turnedAway(
  rule: Rule,
  kind: Kind,
  level: number,
  distance?: number,
): { readonly status: number; readonly detail: string } | undefined {
  if (rule.kinds.includes('none')) return undefined;
  if (kind === 'none') return { status: 401, detail: 'The Authorization header is missing.' };
  const wrongKind = !rule.kinds.includes(kind);
  const tooLow = level < rule.level;
  if (rule.levelFirst && tooLow) return FORBIDDEN;
  if (wrongKind) return { status: 401, detail: rule.otherKinds ?? '' };
  if (tooLow) return FORBIDDEN;
  if (rule.authority && !mayTouch(level, distance ?? Number.NaN, rule.authority)) return FORBIDDEN;
  return undefined;
}
