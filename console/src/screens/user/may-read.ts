import type { User } from '@castellan/sdk';

/** Whether one's level reaches somebody (D11, D12): so that nothing is offered which the service would refuse. */
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
