import { ADMINISTRATOR, ALL_LEVELS } from './level-thresholds.ts';

/** The fields of a user that its authority, and that of others over it, depend on. */
interface Standing {
  readonly character_id: number;
  readonly clearance_level: number;
  readonly corporation: string | null;
  readonly alliance: number | null;
  readonly coalitions: readonly string[];
}

type Mode = 'read' | 'write';

const FAR = 7;
/** Id of the built-in user. */
export const BUILT_IN = 0;

/** Whether the user has authority over another one (D11, D12), so that the console offers only what is allowed. */
export function hasAuthority(mode: Mode, me: Standing, other: Standing): boolean {
  return suffices(mode, me, distance(me, other));
}

function suffices(mode: Mode, { clearance_level }: Standing, at: number): boolean {
  return clearance_level >= (mode === 'read' ? at : at + 1);
}

function distance(me: Standing, other: Standing): number {
  if (me.character_id === other.character_id) return 0;
  // Guests are near their hosts only.
  if (me.corporation !== null && me.corporation === other.corporation) return 1;
  if (other.clearance_level < 0) return FAR;
  if (me.alliance !== null && me.alliance === other.alliance) return 3;
  if (me.coalitions.some((id) => other.coalitions.includes(id))) return 5;
  return FAR;
}

/** The levels that the user may set for another one, the present one among them (D16); none where it may set no other. */
export function levelsToGive(me: Standing, user: Standing): readonly number[] {
  const present = user.clearance_level;
  const never = present < 0 || [me.character_id, BUILT_IN].includes(user.character_id);
  if (never || me.clearance_level < present || !hasAuthority('write', me, user)) return [];
  const least = me.clearance_level >= ADMINISTRATOR ? 0 : present;
  const levels = ALL_LEVELS.filter((level) => level >= least && level <= me.clearance_level);
  return levels.length > 1 ? levels : [];
}

/** A corporation with its alliance, an alliance, or a coalition. */
interface Organization {
  readonly corporation?: number;
  readonly alliance?: number | null;
  readonly coalition?: string;
}

/**
 * Whether the user may have authority over an organization (D13, D14). Whether a corporation or alliance has a coalition
 * in common with the user is known to the service alone, so in any coalition it may.
 */
export function mayReach(mode: Mode, me: Standing, to: Organization): boolean {
  return suffices(mode, me, leastDistance(me, to));
}

function leastDistance(me: Standing, { corporation, alliance, coalition }: Organization): number {
  if (coalition !== undefined) return me.coalitions.includes(coalition) ? 5 : FAR;
  if (me.corporation !== null && Number(me.corporation) === corporation) return 1;
  if (me.alliance !== null && me.alliance === alliance) return 3;
  return me.coalitions.length > 0 ? 5 : FAR;
}
