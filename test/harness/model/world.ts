/**
 * A model of the registry in memory, with which the service is compared. It is written from the rules alone, in the
 * simplest way, and uses no code of the server.
 */

export interface ModelUser {
  readonly id: number;
  readonly name: string;
  level: number;
  corporation: number | null;
  /** The owner by the last sign-in, and since when it is known. */
  owner?: string;
  proven?: number;
  /** Order of the last sign-ins: larger is later. */
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
  /** Only of hand-made groups. */
  owner: number | null;
  members: Set<number>;
  policy: ModelPolicy | null;
  /** Members that are not eligible, with the time since when. */
  readonly ineligible: Map<number, number>;
  /** Members whom the policy, or having none, let be ones at some time. */
  readonly wasEligible: Set<number>;
  /** The organization that an autogroup follows. */
  readonly of?: { readonly kind: Kind; readonly id: string };
}

/** Two or more characters of one human. */
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
  /** Whether level 9 set the policy. */
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
  /** Time in seconds. */
  time: number;
}

const BUILT_IN = { id: 0, name: '(built-in)', level: 10, corporation: null, seen: 0 } as const;

export const ALLIANCES = [99_800_001, 99_800_002] as const;
export const CORPORATIONS = [98_800_001, 98_800_002, 98_800_003, 98_800_004] as const;
export const CHARACTERS = ['Ada', 'Brim', 'Twin', 'Twin', 'Cleo', 'Dov'].map((name, i) => ({
  id: 2_112_800_001 + i,
  name,
}));

/** Two alliances with one and two corporations, a corporation without alliance, and only the built-in user. */
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

function membersOfOrganization(world: World, kind: Kind, id: string): ModelUser[] {
  return [...world.users.values()].filter((user) => {
    if (!isMember(user)) return false;
    const alliance = allianceOf(world, user.corporation);
    if (kind === 'corporation') return String(user.corporation) === id;
    if (kind === 'alliance') return String(alliance) === id;
    return coalitionsOf(world, user.corporation, alliance).some((coalition) => coalition.id === id);
  });
}

export function membersOf(world: World, group: ModelGroup): ModelUser[] {
  if (group.of !== undefined) return membersOfOrganization(world, group.of.kind, group.of.id);
  return [...group.members].map((id) => world.users.get(id) as ModelUser);
}

/** The owner of a hand-made group; of an autogroup the CEO if it is a member, otherwise nobody (D18b). */
export function ownerOf(world: World, group: ModelGroup): ModelUser | undefined {
  if (group.of === undefined) return group.owner === null ? undefined : world.users.get(group.owner);
  const { kind, id } = group.of;
  if (kind === 'coalition') return undefined;
  const corporation = kind === 'corporation' ? Number(id) : (world.alliances.get(Number(id))?.executor ?? -1);
  const ceo = world.corporations.get(corporation)?.ceo;
  return membersOfOrganization(world, kind, id).find(
    (user) => user.id === ceo && user.corporation === corporation,
  );
}

/** The user with a name; of several the one seen last (D38). */
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

/** Whether this user may read or change another one (D12). */
export function mayTouch(world: World, by: ModelUser, target: ModelUser, mode: 'read' | 'write'): boolean {
  const away = distanceBetween(world, by, target);
  return mode === 'read' ? by.level >= Math.min(away, 7) : by.level >= Math.min(away + 1, 8);
}

/** Whether this user may change a coalition: its own organization is a member, or it may change everything (D14). */
export function mayUpdate(world: World, by: ModelUser, coalition: ModelCoalition): boolean {
  const own = coalitionsOf(world, by.corporation, allianceOf(world, by.corporation));
  return by.level >= 8 || (isMember(by) && by.level >= 6 && own.includes(coalition));
}

/** Whether a coalition or its autogroup bars its members from logging in. */
export function bars(world: World, { id, letsIn }: ModelCoalition): boolean {
  return letsIn === false || world.groups.some(({ of, letsIn: said }) => of?.id === id && said === false);
}

/** Whether this user may change an alliance or corporation. */
export function mayWrite(world: World, by: ModelUser, kind: 'alliance' | 'corporation', id: number): boolean {
  const to =
    kind === 'alliance'
      ? { corporation: null, alliance: id }
      : { corporation: id, alliance: allianceOf(world, id) };
  return by.level >= 8 || by.level >= distance(world, by, to) + 1;
}

/** Whether this user may give another one this level (D16). */
export function mayRaise(world: World, by: ModelUser, target: ModelUser, level: number): boolean {
  if (target.id === 0 || target.id === by.id || target.level < 0) return false;
  if (level < target.level && by.level < 9) return false;
  return by.level >= Math.max(level, target.level, distanceBetween(world, by, target) + 1);
}

/** Whether this user may log in, by its groups and coalitions; for a guest by those of its host (D27). */
function mayLogIn(world: World, user: ModelUser): boolean {
  if (user.id === 0) return true;
  const alliance = allianceOf(world, user.corporation);
  const coalitions = coalitionsOf(world, user.corporation, alliance);
  const organizations = [String(user.corporation), String(alliance), ...coalitions.map(({ id }) => id)];
  const votes = [
    ...coalitions.map(({ letsIn }) => letsIn),
    ...world.groups
      .filter(({ of }) => of !== undefined && organizations.includes(of.id))
      .map(({ letsIn }) => letsIn),
    // A hand-made group can bar a guest, but not let it in.
    ...world.groups
      .filter((group) => group.of === undefined && group.members.has(user.id))
      .map(({ letsIn }) => (user.level < 0 && letsIn ? null : letsIn)),
  ];
  return votes.includes(true) && (user.level >= 9 || !votes.includes(false));
}

/** Whether this user's tokens are accepted (D27b). */
export function mayUseTokens(world: World, user: ModelUser): boolean {
  return user.level >= 9 || mayLogIn(world, user);
}

// Autogroups (D18b) ----------------------------------------------------------------------------------------

/**
 * Creates and names the autogroups of organizations with members; when a name is taken the later group gets a suffix.
 */
export function nameAutogroups(world: World): void {
  for (;;) {
    const chosen = new Map<string, { kind: Kind; id: string; name: string }>();
    for (const { kind, id, name } of organizations(world)) {
      const own = world.groups.find(({ of }) => of?.kind === kind && of.id === id);
      const suffix = ` (${kind} ${id})`;
      if (
        own === undefined
          ? membersOfOrganization(world, kind, id).length === 0
          : bears(own.name, name, suffix)
      )
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

function organizations(world: World): { kind: Kind; id: string; name: string }[] {
  const all = (kind: Kind, list: Iterable<{ readonly id: number | string; readonly name: string }>) =>
    [...list].map(({ id, name }) => ({ kind, id: String(id), name }));
  return [
    ...all('alliance', world.alliances.values()),
    ...all('coalition', world.coalitions),
    ...all('corporation', world.corporations.values()),
  ].sort((a, b) => (`${a.kind} ${a.id}` < `${b.kind} ${b.id}` ? -1 : 1));
}
