import fc from 'fast-check';
import { type CoalitionChange, coalitionChange, type GroupChange, groupChange } from '../model/commands.ts';
import {
  ALLIANCES,
  CHARACTERS,
  CORPORATIONS,
  type ModelUser,
  newGroup,
  newWorld,
  type World,
} from '../model/world.ts';

/** A registry that levels 8 and above could have created, two of its users (the gang), and their calls. */
export interface Plan {
  readonly world: World;
  /** Ids of one or two users who work together. */
  readonly gang: readonly number[];
  /** Ids of the characters of each person. */
  readonly persons: readonly (readonly number[])[];
  /** Whether the policy of the second group lets everybody join. */
  readonly opened: boolean;
  readonly tries: readonly Try[];
}

/** One call; `by` is an index in the gang, `which` an index among coalitions or hand-made groups. */
export type Try = { readonly by: number } & (
  | { readonly do: 'update coalition'; readonly which: number; readonly body: CoalitionChange }
  | { readonly do: 'update group'; readonly which: number; readonly body: GroupChange }
  | { readonly do: 'link'; readonly character: number }
  | { readonly do: 'set level'; readonly character: number; readonly level: number }
  | { readonly do: 'set policy'; readonly which: number; readonly body: object }
  | { readonly do: 'join group'; readonly which: number }
  | { readonly do: 'leave group'; readonly which: number }
);

const COALITIONS = ['c1', 'c2', 'c3'].map((id) => id.repeat(12));
/** The first group lets everybody log in who is not barred; the second one is for the calls. */
const GROUPS = ['Admitted', 'Scouts'] as const;

/** Distinct names of all characters, by which calls name users. */
const PEOPLE = CHARACTERS.map(({ id }, i) => ({
  id,
  name: ['Ada', 'Brim', 'Twin', 'Cleo', 'Dov', 'Eda'][i] ?? '',
}));

const home = fc.option(fc.constantFrom(...CORPORATIONS), { freq: 8 });
const person = fc.record({ corporation: home, level: fc.integer({ min: -1, max: 8 }) });
/** Levels, mostly those that can change coalitions. */
const trier = fc.record({
  corporation: home,
  level: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(6, 6, 7, 8) }, fc.integer({ min: 0, max: 8 })),
});
const coalition = fc.record({
  alliances: fc.subarray([...ALLIANCES], { maxLength: 1 }),
  corporations: fc.subarray([...CORPORATIONS], { minLength: 1, maxLength: 3 }),
  letsIn: fc.constantFrom(true, true, true, true, null, false),
});

/** Adds or removes one organization in an otherwise valid request. */
const plainChange = fc
  .record({
    what: fc.constantFrom('add_member', 'add_member', 'remove_member'),
    body: fc.constantFrom(...ALLIANCES, ...CORPORATIONS),
  })
  .map(({ what, body }): CoalitionChange => {
    const kind = (ALLIANCES as readonly number[]).includes(body) ? 'alliances' : 'corporations';
    return { [`${what}_${kind}`]: [body] };
  });

/** Opens the group to everybody, or makes the gang its moderators. */
const policy = fc.record({
  joining: fc.constantFrom('open', 'open', 'application', 'closed'),
  eligible: fc.constantFrom({}, {}, { min_level: 1 }, { corporations: [CORPORATIONS[0]] }),
  moderators: fc.constantFrom({}, { users: [PEOPLE[0]?.id, PEOPLE[1]?.id] }),
  grace_hours: fc.constantFrom(0, 24),
});

const joining: fc.Arbitrary<Try> = fc.oneof(
  fc.record({
    do: fc.constant('set policy' as const),
    by: fc.nat({ max: 1 }),
    which: fc.nat({ max: GROUPS.length - 1 }),
    body: policy,
  }),
  fc.record({
    do: fc.constantFrom('join group' as const, 'leave group' as const),
    by: fc.nat({ max: 1 }),
    which: fc.nat({ max: GROUPS.length - 1 }),
  }),
);

const tries: fc.Arbitrary<Try> = fc.oneof(
  { weight: 3, arbitrary: joining },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('update coalition' as const),
      by: fc.nat({ max: 1 }),
      which: fc.nat({ max: COALITIONS.length - 1 }),
      body: fc.oneof(coalitionChange, { weight: 2, arbitrary: plainChange }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('update group' as const),
      by: fc.nat({ max: 1 }),
      which: fc.nat({ max: GROUPS.length - 1 }),
      body: groupChange,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('link' as const),
      by: fc.nat({ max: 1 }),
      character: fc.nat({ max: PEOPLE.length - 1 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('set level' as const),
      by: fc.nat({ max: 1 }),
      character: fc.nat({ max: PEOPLE.length - 1 }),
      level: fc.integer({ min: 0, max: 8 }),
    }),
  },
);

export const plans: fc.Arbitrary<Plan> = fc
  .record({
    alliances: fc.tuple(...CORPORATIONS.map(() => fc.option(fc.constantFrom(...ALLIANCES), { freq: 2 }))),
    people: fc.tuple(...PEOPLE.map((_, i) => (i < 2 ? trier : person))),
    coalitions: fc.tuple(...COALITIONS.map(() => coalition)),
    owners: fc.tuple(...GROUPS.map(() => fc.constantFrom(...PEOPLE.slice(0, 3)))),
    persons: fc.tuple(...PEOPLE.map(() => fc.nat({ max: 3 }))),
    opened: fc.boolean(),
    gang: fc.subarray(PEOPLE.slice(0, 2), { minLength: 1 }),
    tries: fc.array(tries, { minLength: 3, maxLength: 10 }),
  })
  .map(({ alliances, people, coalitions, owners, persons, opened, gang, tries }) => {
    const world = newWorld();
    for (const [i, id] of CORPORATIONS.entries()) {
      const corporation = world.corporations.get(id);
      if (corporation !== undefined) corporation.alliance = alliances[i] ?? null;
    }
    for (const [i, { id, name }] of PEOPLE.entries()) {
      const { corporation, level } = people[i] as (typeof people)[number];
      // A guest needs a host.
      const user: ModelUser = {
        id,
        name,
        level: corporation === null ? Math.max(level, 0) : level,
        corporation,
        seen: 0,
      };
      world.users.set(id, user);
    }
    for (const [i, id] of COALITIONS.entries()) {
      const { alliances, corporations, letsIn } = coalitions[i] as (typeof coalitions)[number];
      world.coalitions.push({
        id,
        name: `Coalition ${i}`,
        ticker: 'CO',
        letsIn,
        scopes: [],
        alliances: new Set(alliances),
        corporations: new Set(corporations),
      });
    }
    for (const [i, name] of GROUPS.entries()) {
      const members = new Set(i === 0 ? PEOPLE.map(({ id }) => id) : [owners[i]?.id ?? 0]);
      world.groups.push(
        newGroup({ name, letsIn: i === 0 ? true : null, owner: owners[i]?.id ?? null, members }),
      );
    }
    // Characters with the same number are one person; those with the last number are not linked.
    const together = [0, 1, 2].map((n) => PEOPLE.flatMap(({ id }, i) => (persons[i] === n ? [id] : [])));
    return { world, gang: gang.map(({ id }) => id), persons: together, opened, tries };
  });
