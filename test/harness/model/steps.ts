import fc from 'fast-check';
import { CHARACTERS } from './world.ts';

/** The caller: the built-in user, or the character at this index of CHARACTERS, if it is a user at the time. */
export type By = 'root' | number;

export const character = fc.nat({ max: CHARACTERS.length - 1 });
export const by = fc.oneof(
  { weight: 2, arbitrary: fc.constant('root' as const) },
  { weight: 3, arbitrary: character },
);
/** A record by its index in the list; an index beyond its end stands for a record that does not exist. */
export const which = fc.oneof(fc.nat({ max: 1 }), fc.nat({ max: 6 }));

/** Removes undefined fields. */
export const present = <T extends object>(record: fc.Arbitrary<T>) =>
  record.map(
    (all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as T,
  );
