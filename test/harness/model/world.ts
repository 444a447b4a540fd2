/**
 * The registry as its rules describe it, in plain memory and without a thought for speed: what the service is
 * compared with. Nothing here is taken from the server's code.
 */

export interface ModelUser {
  readonly id: number;
  readonly name: string;
  level: number;
  corporation: number | null;
  /** Who owns it by its last sign-in, and since when that is known. */
  owner?: string;
  proven?: number;
  /** Larger for whoever was seen later. */
  seen: number;
}

interface ModelCorporation {
  readonly id: number;
  name: string;
  alliance: number | null;
  ceo: number;
}

interface ModelAlliance {
  readonly id: number;
  name: string;
  executor: number;
}

export interface ModelCoalition {
  readonly id: string;
  readonly name: string;
  ticker: string;
  letsIn: boolean | null;
  scopes: readonly string[];
  alliances: Set<number>;
  corporations: Set<number>;
}

type Kind = 'alliance' | 'coalition' | 'corporation';

export interface ModelGroup {
  name: string;
  description: string;
  letsIn: boolean | null;
  /** Of a hand-made group. */
  owner: number | null;
  members: Set<number>;
  policy: ModelPolicy | null;
  /** Members whom the policy does not let be ones, with the time since when. */
  readonly ineligible: Map<number, number>;
  /** Members whom the policy, or having none, let be ones at some time. */
  readonly wasEligible: Set<number>;
  /** The body that an autogroup follows. */
  readonly of?: { readonly kind: Kind; readonly id: string };
}

/** Characters that one human proved to own: two or more. */
export interface ModelPerson {
  main: number;
  readonly characters: Set<number>;
}

export interface ModelPolicy {
  readonly joining: 'closed' | 'application' | 'open';
  readonly visible_to: 'everyone' | 'eligible' | 'members';
  readonly reach: 'character' | 'person';
  readonly grace_hours: number;
  readonly reapply_hours: number;
  readonly expire_days: number;
  readonly questions: readonly string[];
  readonly eligible: {
    readonly alliances: readonly number[];
    readonly corporations: readonly number[];
    readonly coalitions: readonly string[];
    readonly groups_any: readonly ModelGroup[];
    readonly groups_none: readonly ModelGroup[];
    readonly min_level: number;
  };
  readonly moderators: { readonly users: ReadonlySet<number>; readonly groups: readonly ModelGroup[] };
  /** Whether level 9 set it. */
  readonly ofAdministrator: boolean;
}

export interface ModelApplication {
  readonly id: string;
  readonly group: ModelGroup;
  readonly character: number;
  readonly made: number;
  readonly expires: number;
  state: 'pending' | 'approved' | 'rejected' | 'withdrawn' | 'expired' | 'void';
  decided?: number;
}

export interface World {
  readonly users: Map<number, ModelUser>;
  readonly corporations: Map<number, ModelCorporation>;
  readonly alliances: Map<number, ModelAlliance>;
  coalitions: ModelCoalition[];
  groups: ModelGroup[];
  persons: ModelPerson[];
  /** The oldest first; those of deleted users go with them. */
  applications: ModelApplication[];
  /** Seconds. */
  time: number;
}

const BUILT_IN = { id: 0, name: '(built-in)', level: 10, corporation: null, seen: 0 } as const;

export const ALLIANCES = [99_800_001, 99_800_002] as const;
export const CORPORATIONS = [98_800_001, 98_800_002, 98_800_003, 98_800_004] as const;
export const CHARACTERS = ['Ada', 'Brim', 'Twin', 'Twin', 'Cleo', 'Dov'].map((name, i) => ({
  id: 2_112_800_001 + i,
  name,
}));

/** Two alliances of one and of two corporations, one corporation on its own, and nobody but the built-in user. */
export function newWorld(): World {
  const [one, two] = ALLIANCES;
  const homes = [one, two, one, null];
  return {
    users: new Map([[0, { ...BUILT_IN }]]),
    corporations: new Map(
      CORPORATIONS.map((id, i) => {
        const ceo = (CHARACTERS[i] as { id: number }).id;
        return [id, { id, name: `Corporation ${id}`, alliance: homes[i] ?? null, ceo }];
      }),
    ),
    alliances: new Map(
      ALLIANCES.map((id, i) => [id, { id, name: `Alliance ${id}`, executor: CORPORATIONS[i] as number }]),
    ),
    coalitions: [],
    groups: [],
    persons: [],
    applications: [],
    time: 0,
  };
}

export function newGroup(
  group: Pick<ModelGroup, 'name'> & Partial<Pick<ModelGroup, 'letsIn' | 'owner' | 'members' | 'of'>>,
): ModelGroup {
  return {
    ...{
      description: '',
      letsIn: null,
      owner: null,
      members: new Set(),
      policy: null,
      ineligible: new Map(),
      wasEligible: new Set(),
    },
    ...group,
  };
}

// Who belongs to what --------------------------------------------------------------------------------------

export function allianceOf({ corporations }: World, corporation: number | null): number | null {
  return corporation === null ? null : (corporations.get(corporation)?.alliance ?? null);
}

/** The coalitions that a corporation or an alliance is part of. */
export function coalitionsOf(world: World, corporation: number | null, alliance: number | null) {
  return world.coalitions.filter(
    (coalition) =>
      (corporation !== null && coalition.corporations.has(corporation)) ||
      (alliance !== null && coalition.alliances.has(alliance)),
  );
}

const isMember = (user: ModelUser) => user.level >= 0 && user.corporation !== null;

function membersOfBody(world: World, kind: Kind, id: string): ModelUser[] {
  return [...world.users.values()].filter((user) => {
    if (!isMember(user)) return false;
    const alliance = allianceOf(world, user.corporation);
    if (kind === 'corporation') return String(user.corporation) === id;
    if (kind === 'alliance') return String(alliance) === id;
    return coalitionsOf(world, user.corporation, alliance).some((coalition) => coalition.id === id);
  });
}

export function membersOf(world: World, group: ModelGroup): ModelUser[] {
  if (group.of !== undefined) return membersOfBody(world, group.of.kind, group.of.id);
  return [...group.members].map((id) => world.users.get(id) as ModelUser);
}

/** The owner of a hand-made group, or the CEO that is a member, or nobody (D18b). */
export function ownerOf(world: World, group: ModelGroup): ModelUser | undefined {
  if (group.of === undefined) return group.owner === null ? undefined : world.users.get(group.owner);
  const { kind, id } = group.of;
  if (kind === 'coalition') return undefined;
  const corporation = kind === 'corporation' ? Number(id) : (world.alliances.get(Number(id))?.executor ?? -1);
  const ceo = world.corporations.get(corporation)?.ceo;
  return membersOfBody(world, kind, id).find((user) => user.id === ceo && user.corporation === corporation);
}

/** Of two users with one name the last seen is meant (D38). */
export function userNamed(world: World, name: string): ModelUser | undefined {
  const bearers = [...world.users.values()].filter((user) => user.name === name);
  return bearers.sort((one, other) => other.seen - one.seen)[0];
}

// Distance and authority (D11 to D13) ----------------------------------------------------------------------

interface Place {
  readonly corporation: number | null;
  readonly alliance: number | null;
}

function distance(world: World, from: ModelUser, to: Place): number {
  if (!isMember(from)) return 7;
  const alliance = allianceOf(world, from.corporation);
  if (to.corporation !== null && to.corporation === from.corporation) return 1;
  if (to.alliance !== null && to.alliance === alliance) return 3;
  const theirs = coalitionsOf(world, to.corporation, to.alliance);
  return coalitionsOf(world, from.corporation, alliance).some((one) => theirs.includes(one)) ? 5 : 7;
}

/** Distance from one user to another (D11). */
function distanceBetween(world: World, from: ModelUser, to: ModelUser): number {
  if (from.id === to.id) return 0;
  const at = { corporation: to.corporation, alliance: allianceOf(world, to.corporation) };
  if (to.level >= 0) return distance(world, from, at);
  return isMember(from) && from.corporation === to.corporation ? 1 : 7;
}

/** May this user read, or change, another? (D12) */
export function mayTouch(world: World, by: ModelUser, target: ModelUser, mode: 'read' | 'write'): boolean {
  const away = distanceBetween(world, by, target);
  return mode === 'read' ? by.level >= Math.min(away, 7) : by.level >= Math.min(away + 1, 8);
}

/** May this user change a coalition? Its own corporation or alliance is a member, or it may change everything (D14). */
export function mayUpdate(world: World, by: ModelUser, coalition: ModelCoalition): boolean {
  const own = coalitionsOf(world, by.corporation, allianceOf(world, by.corporation));
  return by.level >= 8 || (isMember(by) && by.level >= 6 && own.includes(coalition));
}

/** Does a coalition, or its autogroup, keep its members from logging in? */
export function bars(world: World, { id, letsIn }: ModelCoalition): boolean {
  return letsIn === false || world.groups.some(({ of, letsIn: said }) => of?.id === id && said === false);
}

/** May this user change an alliance or corporation? */
export function mayWrite(world: World, by: ModelUser, kind: 'alliance' | 'corporation', id: number): boolean {
  const to =
    kind === 'alliance'
      ? { corporation: null, alliance: id }
      : { corporation: id, alliance: allianceOf(world, id) };
  return by.level >= 8 || by.level >= distance(world, by, to) + 1;
}

/** May this user give another this level? (D16) */
export function mayRaise(world: World, by: ModelUser, target: ModelUser, level: number): boolean {
  if (target.id === 0 || target.id === by.id || target.level < 0) return false;
  if (level < target.level && by.level < 9) return false;
  return by.level >= Math.max(level, target.level, distanceBetween(world, by, target) + 1);
}

/** May this user log in? Its groups and coalitions are asked, a guest's host for the guest (D27). */
function mayLogIn(world: World, user: ModelUser): boolean {
  if (user.id === 0) return true;
  const alliance = allianceOf(world, user.corporation);
  const coalitions = coalitionsOf(world, user.corporation, alliance);
  const organizations = [String(user.corporation), String(alliance), ...coalitions.map(({ id }) => id)];
  const voices = [
    ...coalitions.map(({ letsIn }) => letsIn),
    ...world.groups
      .filter(({ of }) => of !== undefined && organizations.includes(of.id))
      .map(({ letsIn }) => letsIn),
    // A hand-made group can only shut a guest out.
    ...world.groups
      .filter((group) => group.of === undefined && group.members.has(user.id))
      .map(({ letsIn }) => (user.level < 0 && letsIn ? null : letsIn)),
  ];
  return voices.includes(true) && (user.level >= 9 || !voices.includes(false));
}

/** Do the tokens of this user work? (D27b) */
export function mayUseTokens(world: World, user: ModelUser): boolean {
  return user.level >= 9 || mayLogIn(world, user);
}

// Autogroups (D18b) ----------------------------------------------------------------------------------------

/** Bodies with members get their groups, and groups the names of their bodies; who comes late gets a suffix. */
export function nameAutogroups(world: World): void {
  for (;;) {
    const chosen = new Map<string, { kind: Kind; id: string; name: string }>();
    for (const { kind, id, name } of bodies(world)) {
      const own = world.groups.find(({ of }) => of?.kind === kind && of.id === id);
      const suffix = ` (${kind} ${id})`;
      if (own === undefined ? membersOfBody(world, kind, id).length === 0 : bears(own.name, name, suffix))
        continue;
      let free = name;
      while (world.groups.some((group) => group !== own && same(group.name, free))) free += suffix;
      if (!chosen.has(free.toLowerCase())) chosen.set(free.toLowerCase(), { kind, id, name: free });
    }
    if (chosen.size === 0) return;
    for (const { kind, id, name } of chosen.values()) {
      const own = world.groups.find(({ of }) => of?.kind === kind && of.id === id);
      if (own !== undefined) own.name = name;
      else {
        world.groups.push(newGroup({ name, of: { kind, id } }));
      }
    }
  }
}

const bears = (groupName: string, name: string, suffix: string) =>
  groupName === name || groupName.startsWith(name + suffix);

export const same = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

function bodies(world: World): { kind: Kind; id: string; name: string }[] {
  const all = (kind: Kind, list: Iterable<{ readonly id: number | string; readonly name: string }>) =>
    [...list].map(({ id, name }) => ({ kind, id: String(id), name }));
  return [
    ...all('alliance', world.alliances.values()),
    ...all('coalition', world.coalitions),
    ...all('corporation', world.corporations.values()),
  ].sort((a, b) => (`${a.kind} ${a.id}` < `${b.kind} ${b.id}` ? -1 : 1));
}
