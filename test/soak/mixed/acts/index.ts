import type { Act } from '../act.ts';
import { administration } from './administration.ts';
import { forwards } from './forwards.ts';
import { groups } from './groups.ts';
import { people } from './people.ts';
import { reads } from './reads.ts';
import { refusals } from './refusals.ts';

/** Everything that is done, all the time. */
export const acts: readonly Act[] = [
  ...reads,
  ...forwards,
  ...groups,
  ...administration,
  ...people,
  ...refusals,
];
