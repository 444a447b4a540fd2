/** The short form of a group, which many others name. */
import { z } from 'zod';
import { component, ObjectId } from './common.ts';

export const GroupShort = component(
  z.object({ group_id: ObjectId, group_name: z.string() }),
  'GroupShort',
  'A group by id and name.',
  { group_id: '66f2a1b3c4d5e6f708192a3c', group_name: 'Scouts' },
);
export type GroupShort = z.infer<typeof GroupShort>;
