import { t } from '../text/text.ts';
import type { ALL_LEVELS } from './level-thresholds.ts';

const MEANINGS: Readonly<Record<number, string>> = {
  [-1]: 'Guest: nothing but being here.',
  0: 'Public data and one’s own.',
  1: 'Reads everything about the corporation.',
  2: 'Reads and changes the corporation.',
  3: 'Reads everything about the alliance.',
  4: 'Reads and changes the alliance.',
  5: 'Reads everything about the coalition.',
  6: 'Reads and changes the coalition.',
  7: 'Reads everything about everyone registered here.',
  8: 'Reads and changes everyone registered here.',
  9: 'Administrator: groups, coalitions, who may log in.',
  10: 'Superuser: everything.',
} satisfies Record<-1 | (typeof ALL_LEVELS)[number], string>;

/** Describes what a clearance level allows, in a sentence. */
export function meaningOf(level: number): string {
  return t(MEANINGS[level] ?? 'A level that this console does not know.');
}
