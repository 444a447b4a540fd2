import type { User } from '@castellan/sdk';

/** Whether the user has read authority over another one (D11, D12), so that the console offers only what is allowed. */
export function mayRead(me: User, other: User): boolean {
  return me.clearance_level >= distance(me, other);
}

function distance(me: User, other: User): number {
  if (me.character_id === other.character_id) return 0;
  if (other.clearance_level < 0) return 7;
  if (me.corporation !== null && me.corporation === other.corporation) return 1;
  if (me.alliance !== null && me.alliance === other.alliance) return 3;
  if (me.coalitions.some((id) => other.coalitions.includes(id))) return 5;
  return 7;
}
