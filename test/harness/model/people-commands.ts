import fc from 'fast-check';
import type { GroupPolicy } from '../../../sdk/src/index.ts';
import { type By, by, character, present, which } from './steps.ts';
import { ALLIANCES, CORPORATIONS } from './world.ts';

/** The change of a policy. Coalitions, groups and users are given by index, and replaced by their ids. */
export type PolicyChange = Partial<Omit<GroupPolicy, 'eligible' | 'moderators'>> & {
  readonly eligible?: {
    readonly alliances?: readonly number[];
    readonly corporations?: readonly number[];
    readonly coalitions?: readonly number[];
    readonly groups_any?: readonly number[];
    readonly groups_none?: readonly number[];
    readonly min_level?: number;
  };
  readonly moderators?: { readonly users?: readonly number[]; readonly groups?: readonly number[] };
};

/** Steps about persons and joining of groups; characters and records are given by index. */
export type PeopleCommand =
  | { readonly do: 'link'; readonly by: number; readonly character: number }
  | { readonly do: 'unlink'; readonly by: By; readonly character: number }
  | { readonly do: 'choose main'; readonly by: By; readonly character: number }
  | {
      readonly do: 'merge';
      readonly by: By;
      readonly character: number;
      readonly other: number;
      readonly dry: boolean;
    }
  | {
      readonly do: 'split';
      readonly by: By;
      readonly character: number;
      readonly leaving: readonly number[];
      readonly dry: boolean;
    }
  | { readonly do: 'set policy'; readonly by: By; readonly which: number; readonly body: PolicyChange }
  | { readonly do: 'join'; readonly by: By; readonly which: number; readonly answers: readonly string[] }
  | {
      readonly do: 'decide';
      readonly by: By;
      readonly application: number;
      readonly decision: 'approved' | 'rejected';
    }
  | { readonly do: 'withdraw'; readonly by: By; readonly application: number }
  | { readonly do: 'leave'; readonly by: By; readonly which: number };

/** Changes outside the API: hours pass, policies are judged, the owner of a character signs in. */
export type Occurrence =
  | { readonly do: 'wait'; readonly hours: number }
  | { readonly do: 'judge' }
  | { readonly do: 'sign in'; readonly character: number; readonly owner: string };

const step = <C extends PeopleCommand | Occurrence>(
  what: C['do'],
  fields: Record<string, fc.Arbitrary<unknown>>,
) => fc.record({ do: fc.constant(what), ...fields }) as unknown as fc.Arbitrary<C>;

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const often = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 5 });
const few = <T>(one: fc.Arbitrary<T>) => fc.option(fc.array(one, { maxLength: 2 }), { nil: undefined });
/** An index that sometimes does not exist. */
const place = fc.oneof(
  { weight: 20, arbitrary: fc.nat({ max: 2 }) },
  { weight: 1, arbitrary: fc.constant(99) },
);

export const policyChange = present(
  fc.record({
    joining: often(fc.constantFrom('closed', 'application', 'application', 'application', 'open', 'open')),
    visible_to: maybe(fc.constantFrom('everyone', 'eligible', 'members')),
    reach: maybe(fc.constantFrom('character', 'person')),
    grace_hours: often(fc.constantFrom(0, 1, 2)),
    reapply_hours: maybe(fc.constantFrom(0, 2)),
    expire_days: fc.constantFrom(undefined, 1, 2),
    questions: maybe(fc.constantFrom([], ['Why?'])),
    eligible: maybe(
      present(
        fc.record({
          alliances: few(fc.constantFrom(...ALLIANCES)),
          corporations: few(fc.constantFrom(...CORPORATIONS)),
          coalitions: fc.option(fc.array(fc.nat({ max: 1 }), { maxLength: 1 }), { nil: undefined, freq: 2 }),
          groups_any: fc.option(fc.array(place, { maxLength: 2 }), { nil: undefined, freq: 2 }),
          groups_none: fc.option(fc.array(place, { maxLength: 2 }), { nil: undefined, freq: 2 }),
          min_level: maybe(fc.nat({ max: 5 })),
        }),
      ),
    ),
    moderators: maybe(present(fc.record({ users: few(character), groups: few(place) }))),
  }),
) as fc.Arbitrary<PolicyChange>;

const answers = fc.constantFrom([], [], ['Because']);
const application = fc.nat({ max: 3 });
const decision = fc.constantFrom('approved', 'approved', 'rejected');
const dry = fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true));
const joined = fc.nat({ max: 1 });

const itself = (what: 'unlink' | 'choose main') =>
  character.map((place): PeopleCommand => ({ do: what, by: place, character: place }));

export const peopleCommand = fc.oneof(
  { weight: 5, arbitrary: step<PeopleCommand>('link', { by: character, character }) },
  { weight: 1, arbitrary: step<PeopleCommand>('unlink', { by, character }) },
  // A linked character may unlink itself, which few are that are not the main, and become the main.
  { weight: 8, arbitrary: itself('unlink') },
  { weight: 2, arbitrary: itself('choose main') },
  { weight: 2, arbitrary: step<PeopleCommand>('merge', { by, character, other: character, dry }) },
  {
    weight: 1,
    arbitrary: step<PeopleCommand>('split', {
      by,
      character,
      leaving: fc.array(character, { minLength: 1, maxLength: 3 }),
      dry,
    }),
  },
  { weight: 4, arbitrary: step<PeopleCommand>('set policy', { by, which: joined, body: policyChange }) },
  { weight: 1, arbitrary: step<PeopleCommand>('set policy', { by, which, body: policyChange }) },
  { weight: 8, arbitrary: step<PeopleCommand>('join', { by, which: joined, answers }) },
  { weight: 1, arbitrary: step<PeopleCommand>('join', { by, which, answers }) },
  { weight: 5, arbitrary: step<PeopleCommand>('decide', { by, application, decision }) },
  { weight: 2, arbitrary: step<PeopleCommand>('withdraw', { by: character, application }) },
  { weight: 2, arbitrary: step<PeopleCommand>('leave', { by, which: joined }) },
);

/** More than a day ends applications; fewer hours end a grace or the wait after a rejection. */
export const occurrence = fc.oneof(
  { weight: 2, arbitrary: step<Occurrence>('wait', { hours: fc.constantFrom(1, 1, 2, 25) }) },
  { weight: 3, arbitrary: step<Occurrence>('judge', {}) },
  {
    weight: 2,
    arbitrary: step<Occurrence>('sign in', { character, owner: fc.constantFrom('seller', 'buyer') }),
  },
);

/** Steps with which level 9 makes several characters one person. */
export const merging = step<PeopleCommand>('merge', {
  by: fc.constant('root'),
  character,
  other: character,
  dry: fc.constant(false),
});

/** Steps with which level 9 makes a group that users may join or apply to. */
export const opening = step<PeopleCommand>('set policy', {
  by: fc.constant('root'),
  which: fc.constant(0),
  body: fc.record({
    joining: fc.constantFrom('application', 'application', 'open'),
    reach: fc.constantFrom('character', 'person'),
    grace_hours: fc.constantFrom(0, 1),
    reapply_hours: fc.constantFrom(0, 2),
  }),
});

/** Steps with which users ask for that, and root decides. */
export const asking = step<PeopleCommand>('join', {
  by: character,
  which: fc.constant(0),
  answers: fc.constant([]),
});
export const deciding = step<PeopleCommand>('decide', {
  by: fc.constant('root'),
  application: fc.constant(0),
  decision,
});

/** Steps of which the last one needs those before it: nobody leaves a group without having joined it. */
export const goingBack: fc.Arbitrary<readonly PeopleCommand[]> = fc
  .record({ who: character, other: character, application })
  .chain(({ who, other, application }) =>
    fc.constantFrom<readonly PeopleCommand[]>(
      [
        { do: 'set policy', by: 'root', which: 0, body: { joining: 'open' } },
        { do: 'join', by: who, which: 0, answers: [] },
        { do: 'leave', by: who, which: 0 },
      ],
      [
        { do: 'set policy', by: 'root', which: 0, body: { joining: 'application' } },
        { do: 'join', by: who, which: 0, answers: [] },
        { do: 'withdraw', by: who, application },
      ],
      [
        { do: 'merge', by: 'root', character: who, other, dry: false },
        { do: 'split', by: 'root', character: who, leaving: [other], dry: false },
      ],
    ),
  );
