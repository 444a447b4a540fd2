/** A user's memberships, as far as {@link Distance} depends on them. */
export interface Position {
  readonly characterId: number;
  readonly corporationId: number | null;
  readonly allianceId: number | null;
  /** Coalitions of the user's alliance or corporation. */
  readonly coalitionIds: readonly string[];
  /** A guest of corporationId, not a member of it. */
  readonly guest: boolean;
}

/**
 * The memberships of a corporation, alliance or coalition. Null where it has none; a coalition counts as a member of
 * itself.
 */
export type OrganizationPosition = Pick<Position, 'corporationId' | 'allianceId' | 'coalitionIds'>;

/** 0 same user, 1 same corporation, 3 same alliance, 5 a coalition in common, 7 otherwise (D11). */
export type Distance = 0 | 1 | 3 | 5 | 7;

/**
 * The distance between two positions, and what they have in common: the corporation, the alliance or the coalitions.
 */
export interface Nearness {
  readonly distance: Distance;
  readonly by?:
    | { readonly type: 'corporation' | 'alliance'; readonly ids: readonly number[] }
    | { readonly type: 'coalition'; readonly ids: readonly string[] };
}

const FAR: Nearness = { distance: 7 };

/**
 * The distance of a user to another user, or to an organization: a corporation or alliance (D13) or coalition (D14).
 * Between users symmetric but for guests: a guest is at 1 from members of its host and at 7 from all others, and is a
 * member of no organization.
 */
export function nearnessTo(from: Position, to: OrganizationPosition & Partial<Position>): Nearness {
  if (from.characterId === to.characterId) return { distance: 0 };
  if (from.guest) return FAR;
  const corporation = sameCorporation(from, to);
  if (corporation !== undefined) return corporation;
  if (to.guest) return FAR;
  if (from.allianceId !== null && from.allianceId === to.allianceId) {
    return { distance: 3, by: { type: 'alliance', ids: [from.allianceId] } };
  }
  const ids = from.coalitionIds.filter((id) => to.coalitionIds.includes(id));
  return ids.length > 0 ? { distance: 5, by: { type: 'coalition', ids } } : FAR;
}

function sameCorporation(from: Position, to: OrganizationPosition): Nearness | undefined {
  if (from.corporationId === null || from.corporationId !== to.corporationId) return undefined;
  return { distance: 1, by: { type: 'corporation', ids: [from.corporationId] } };
}

export function distanceTo(from: Position, to: OrganizationPosition & Partial<Position>): Distance {
  return nearnessTo(from, to).distance;
}
