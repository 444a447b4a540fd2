/**
 * The access rules, written down a second time: from the interface and the decisions, not from the contract's
 * metadata, and judged by the slowest code that can say it.
 */

export type Kind = 'none' | 'dyn' | 'per' | 'use';

export interface Rule {
  readonly kinds: readonly Kind[];
  readonly level: number;
  /** Kinds that need another level. */
  readonly levelOf?: Partial<Record<Kind, number>>;
  /** What a token of another kind is told. */
  readonly otherKinds?: string;
  /** Token rule 2: the clearance check is made first. */
  readonly levelFirst?: true;
  readonly authority?: Authority;
}

interface Authority {
  readonly mode: 'read' | 'write';
  readonly over: string;
  /** The path parameter that names it. */
  readonly param: string;
}

const usual = (level: number, mode?: 'read' | 'write', over = ''): Rule => ({
  kinds: ['per', 'use'],
  level,
  otherKinds: 'Cannot use a dynamic app token for this path.',
  ...(mode && { authority: { mode, over, param: `${over === 'user' ? 'character' : over}_id` } }),
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
const appItself: Rule = { kinds: ['dyn', 'per', 'use'], level: 0, levelOf: { use: 10 } };
const anybody: Rule = { kinds: ['none', 'dyn', 'per', 'use'], level: Number.NEGATIVE_INFINITY };

export const RULES: Readonly<Record<string, Rule>> = {
  'alliance.list': usual(0),
  'alliance.get': usual(0),
  'alliance.tracking': usual(3, 'read', 'alliance'),
  'alliance.compliance': usual(3, 'read', 'alliance'),
  'alliance.complianceDays': usual(3, 'read', 'alliance'),
  'alliance.register': usual(8),
  'alliance.update': usual(4, 'write', 'alliance'),
  'audit.list': usual(0),
  'callback.ext': anybody,
  'coalition.list': usual(0),
  'coalition.get': usual(0),
  'coalition.create': usual(9),
  'coalition.update': usual(6, 'write', 'coalition'),
  'coalition.delete': usual(9),
  'coalition.tracking': usual(5, 'read', 'coalition'),
  'coalition.compliance': usual(5, 'read', 'coalition'),
  'coalition.complianceDays': usual(5, 'read', 'coalition'),
  'corporation.list': usual(0),
  'corporation.get': usual(0),
  'corporation.tracking': usual(1, 'read', 'corporation'),
  'corporation.compliance': usual(1, 'read', 'corporation'),
  'corporation.complianceDays': usual(1, 'read', 'corporation'),
  'corporation.register': usual(8),
  'corporation.update': usual(2, 'write', 'corporation'),
  'corporation.listGuests': usual(1, 'read', 'corporation'),
  'corporation.createGuestCode': usual(1, 'read', 'corporation'),
  'corporation.deleteGuest': usual(2, 'write', 'corporation'),
  'crash.list': usual(10),
  'crash.get': usual(10),
  'crash.delete': usual(10),
  'event.list': { ...usual(0), levelOf: { per: 7 } },
  'ext.forward': usual(0),
  'ext.forwardGet': usual(0),
  'history.locations': usual(0, 'read', 'user'),
  'history.mails': usual(0, 'read', 'user'),
  'history.mail': usual(0, 'read', 'user'),
  'history.skillPoints': usual(0, 'read', 'user'),
  'history.wallet': usual(0, 'read', 'user'),
  'history.storeLocation': usual(0, 'read', 'user'),
  'group.list': usual(0),
  'group.get': usual(0),
  'group.create': usual(9),
  'group.update': usual(0),
  'group.delete': usual(9),
  'group.joinable': usual(0),
  'group.policy': usual(0),
  'group.setPolicy': usual(0),
  'group.apply': usual(0),
  'group.applications': usual(0),
  'group.leave': usual(0),
  'application.list': usual(0),
  'application.decide': usual(0),
  'application.withdraw': usual(0),
  'person.current': usual(0),
  'person.link': { kinds: ['use'], level: 0, otherKinds: 'Must use a user token for this path.' },
  'person.unlink': usual(0),
  'person.update': usual(0),
  'person.merge': usual(9),
  'person.split': usual(9),
  'person.history': usual(9),
  'oidc.listClients': usual(10),
  'oidc.getClient': usual(10),
  'oidc.createClient': usual(10),
  'oidc.updateClient': usual(10),
  'oidc.deleteClient': usual(10),
  'oidc.renewSecret': usual(10),
  'system.configuration': usual(10),
  'system.held': usual(9),
  'system.jobs': usual(10),
  'system.runJob': usual(10),
  'system.status': usual(9),
  'token.current': usual(0),
  'token.delete': usual(10),
  'token.createDynamic': appToken,
  'token.createPermanent': appToken,
  'token.startLogin': fromDyn(0),
  'token.createUserToken': fromPer(0),
  'token.logout': usual(-1),
  'user.list': usual(0),
  'user.get': usual(0),
  'user.groups': usual(0),
  'user.person': usual(0),
  'user.why': usual(0),
  'user.update': usual(0),
  'user.delete': usual(9),
  'voice.start': usual(0),
  'voice.complete': usual(0),
  'webhook.list': appItself,
  'webhook.get': appItself,
  'webhook.create': appItself,
  'webhook.update': appItself,
  'webhook.delete': appItself,
  'webhook.rotate': appItself,
  'webhook.test': appItself,
  'webhook.listDeliveries': appItself,
  'webhook.retry': appItself,
  'webhook.replay': appItself,
};

/** D12, as a table: the least level that may read or write at a distance. */
const NEEDED: Readonly<Record<number, Readonly<Record<'read' | 'write', number>>>> = {
  0: { read: 0, write: 1 },
  1: { read: 1, write: 2 },
  3: { read: 3, write: 4 },
  5: { read: 5, write: 6 },
  7: { read: 7, write: 8 },
};

function mayTouch(level: number, distance: number, mode: 'read' | 'write'): boolean {
  return level >= (NEEDED[distance]?.[mode] ?? Number.POSITIVE_INFINITY);
}

export interface TurnedAway {
  readonly status: number;
  readonly detail: string;
}

/** D5: the words of a 403. */
export function forbidden(what: string): TurnedAway {
  return { status: 403, detail: `Insufficient clearance level: ${what}.` };
}

const levelMissing = (needed: number, level: number) =>
  forbidden(`this needs ${needed}, and the token's owner has ${level}`);

/** Who calls, and how far away it is from what. */
export interface Call {
  readonly kind: Kind;
  readonly level: number;
  readonly distance: number;
  /** What the path names, by parameter. */
  readonly params: Readonly<Record<string, string | number>>;
}

/** How a caller is turned away, or undefined: past the gate. */
export function turnedAway(rule: Rule, call: Call): TurnedAway | undefined {
  const { kind, level, distance, params } = call;
  if (rule.kinds.includes('none')) return undefined;
  if (kind === 'none') return { status: 401, detail: 'The Authorization header is missing.' };
  const wrongKind = !rule.kinds.includes(kind);
  const least = rule.levelOf?.[kind] ?? rule.level;
  const tooLow = level < least;
  if (rule.levelFirst && tooLow) return levelMissing(least, level);
  if (wrongKind) return { status: 401, detail: rule.otherKinds ?? '' };
  if (tooLow) return levelMissing(least, level);
  const { authority } = rule;
  if (authority === undefined || mayTouch(level, distance, authority.mode)) return undefined;
  return forbidden(`no ${authority.mode} authority over ${authority.over} ${params[authority.param]}`);
}
