/** Where somebody stands in the registry, as far as distance needs it. */
export interface Position {
  readonly characterId: number;
  readonly corporationId: number | null;
  readonly allianceId: number | null;
  /** Reached through the alliance or directly through the corporation. */
  readonly coalitionIds: readonly string[];
  /** A guest of corporationId, not a member of it. */
  readonly guest: boolean;
}

/** A corporation, alliance or coalition in the same terms: null where it has none, a coalition reaches itself. */
export type OrganizationPosition = Pick<Position, 'corporationId' | 'allianceId' | 'coalitionIds'>;

/** 0 same user, 1 same corporation, 3 same alliance, 5 a coalition in common, 7 otherwise (D11). */
export type Distance = 0 | 1 | 3 | 5 | 7;

/** Distance from one user to another. Symmetric but for guests: a host is near its guest, nobody else is. */
export function distanceToUser(from: Position, to: Position): Distance {
  if (from.characterId === to.characterId) return 0;
  if (from.guest) return 7;
  if (to.guest) return from.corporationId !== null && from.corporationId === to.corporationId ? 1 : 7;
  return distanceToOrganization(from, to);
}

/** Distance from a user to a corporation, alliance (D13) or coalition (D14); guests belong to none. */
export function distanceToOrganization(from: Position, to: OrganizationPosition): Distance {
  if (from.guest) return 7;
  if (from.corporationId !== null && from.corporationId === to.corporationId) return 1;
  if (from.allianceId !== null && from.allianceId === to.allianceId) return 3;
  return from.coalitionIds.some((id) => to.coalitionIds.includes(id)) ? 5 : 7;
}
