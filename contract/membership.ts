/** The short forms of corporations and alliances, which name each other. */
import { z } from 'zod';
import { component, Id } from './common.ts';

export const AllianceShort = component(
  z.object({ alliance_id: Id, alliance_name: z.string() }),
  'AllianceShort',
  'An alliance by id and name.',
  { alliance_id: 99000001, alliance_name: 'Northern Lights Compact' },
);
export type AllianceShort = z.infer<typeof AllianceShort>;

export const CorporationShort = component(
  z.object({ corporation_id: Id, corporation_name: z.string() }),
  'CorporationShort',
  'A corporation by id and name.',
  { corporation_id: 98000001, corporation_name: 'Harbour Watch' },
);
export type CorporationShort = z.infer<typeof CorporationShort>;
