import fc from 'fast-check';
import {
  asking,
  deciding,
  goingBack,
  merging,
  type Occurrence,
  occurrence,
  opening,
  type PeopleCommand,
  peopleCommand,
  policyChange,
} from './people-commands.ts';
import { type By, by, character, present, which } from './steps.ts';
import { ALLIANCES, CORPORATIONS } from './world.ts';

/** The lists of a request body; undefined means absent. */
export interface CoalitionChange {
  readonly add_member_alliances?: readonly number[] | null;
  readonly add_member_corporations?: readonly number[] | null;
  readonly authorized_to_login?: boolean | null;
  readonly mandatory_ext_scopes?: readonly ('publicData' | 'ext-mail.read_mail.v1')[] | null;
  readonly member_alliances?: readonly number[] | null;
  readonly member_corporations?: readonly number[] | null;
  readonly remove_member_alliances?: readonly number[] | null;
  readonly remove_member_corporations?: readonly number[] | null;
  readonly ticker?: string | null;
}

export interface GroupChange {
  readonly add_members?: readonly string[] | null;
  readonly authorized_to_login?: boolean | null;
  readonly description?: string | null;
  readonly members?: readonly string[] | null;
  readonly owner?: string | null;
  readonly remove_members?: readonly string[] | null;
}

/** One step of a sequence: a change in the game, or a request to the service. */
export type Command =
  | PeopleCommand
  | Occurrence
  | { readonly do: 'preview'; readonly by: By; readonly of: Previewed }
  | {
      readonly do: 'find character';
      readonly character: number;
      readonly corporation: number | null;
      /** Whether it was found because it signed in, as its present owner. */
      readonly signsIn: boolean;
    }
  | {
      readonly do: 'find corporation';
      readonly corporation: number;
      readonly alliance: number | null;
      readonly ceo: number;
      readonly name: string;
    }
  | {
      readonly do: 'find alliance';
      readonly alliance: number;
      readonly executor: number;
      readonly name: string;
    }
  | { readonly do: 'invite'; readonly character: number; readonly corporation: number }
  | { readonly do: 'create coalition'; readonly by: By; readonly name: string }
  | {
      readonly do: 'update coalition';
      readonly by: By;
      readonly which: number;
      readonly body: CoalitionChange;
    }
  | { readonly do: 'delete coalition'; readonly by: By; readonly which: number }
  | { readonly do: 'create group'; readonly by: By; readonly name: string }
  | { readonly do: 'update group'; readonly by: By; readonly which: number; readonly body: GroupChange }
  | { readonly do: 'delete group'; readonly by: By; readonly which: number }
  | { readonly do: 'set level'; readonly by: By; readonly character: number; readonly level: number }
  | { readonly do: 'delete user'; readonly by: By; readonly character: number };

/** A step that supports `dry_run`. */
export type Previewed = Extract<
  Command,
  {
    readonly do:
      | 'update coalition'
      | 'delete coalition'
      | 'update group'
      | 'delete group'
      | 'set policy'
      | 'set level'
      | 'delete user';
  }
>;

const corporation = fc.constantFrom(...CORPORATIONS);
const alliance = fc.constantFrom(...ALLIANCES);
const whichCoalition = fc.nat({ max: 1 });

/** Few names, so that they collide: within and between kinds, ignoring case, and with suffixed names. */
const NAMES = ['Shared', 'SHARED', 'Scouts', `Corporation ${CORPORATIONS[0]}`] as const;
const name = fc.constantFrom(...NAMES, `Shared (corporation ${CORPORATIONS[0]})`);

const UNKNOWN = 1;
const few = <T>(one: fc.Arbitrary<T>, unknown: T) =>
  fc.option(
    fc.array(fc.oneof({ weight: 30, arbitrary: one }, { weight: 1, arbitrary: fc.constant(unknown) }), {
      maxLength: 2,
    }),
    { nil: undefined, freq: 2 },
  );
/** An optional value: mostly absent, sometimes null. */
const some = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 3, arbitrary: value },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 6, arbitrary: fc.constant(undefined) },
  );

const idLists = {
  add_member_alliances: few(alliance, UNKNOWN),
  add_member_corporations: few(corporation, UNKNOWN),
  remove_member_alliances: few(alliance, UNKNOWN),
  remove_member_corporations: few(corporation, UNKNOWN),
};
const coalitionValues = {
  authorized_to_login: some(fc.boolean()),
  mandatory_ext_scopes: some(
    fc.array(fc.constantFrom('publicData' as const, 'ext-mail.read_mail.v1' as const), { maxLength: 2 }),
  ),
  ticker: some(fc.constantFrom('ONE', 'TWO')),
};
export const coalitionChange = present(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ ...idLists, ...coalitionValues }) },
    {
      weight: 3,
      arbitrary: fc.record({
        member_alliances: few(alliance, UNKNOWN),
        member_corporations: few(corporation, UNKNOWN),
        ...coalitionValues,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ ...idLists, member_alliances: some(fc.array(alliance, { maxLength: 2 })) }),
    },
  ),
) as fc.Arbitrary<CoalitionChange>;

const userName = fc.constantFrom('Ada', 'Brim', 'Twin', 'Cleo', 'Dov', '(built-in)');
const groupValues = {
  authorized_to_login: some(fc.boolean()),
  description: some(fc.constantFrom('', 'One', 'Two')),
  owner: some(userName),
};
const nameLists = { add_members: few(userName, 'Nobody'), remove_members: few(userName, 'Nobody') };
export const groupChange = present(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ ...nameLists, ...groupValues }) },
    { weight: 3, arbitrary: fc.record({ members: few(userName, 'Nobody'), ...groupValues }) },
    {
      weight: 2,
      arbitrary: fc.record({
        description: groupValues.description,
        authorized_to_login: groupValues.authorized_to_login,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ ...nameLists, members: some(fc.array(userName, { maxLength: 2 })) }),
    },
  ),
) as fc.Arbitrary<GroupChange>;

const signsIn = fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false));

const step = <D extends Command['do']>(what: D, fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ do: fc.constant(what), ...fields }) as unknown as fc.Arbitrary<Command>;

const previewed = fc.oneof(
  {
    weight: 8,
    arbitrary: step('update coalition', { by, which: whichCoalition, body: coalitionChange }),
  },
  { weight: 1, arbitrary: step('delete coalition', { by, which: whichCoalition }) },
  { weight: 8, arbitrary: step('update group', { by, which, body: groupChange }) },
  { weight: 1, arbitrary: step('delete group', { by, which }) },
  { weight: 4, arbitrary: step('set level', { by, character, level: fc.nat({ max: 10 }) }) },
  { weight: 1, arbitrary: step('delete user', { by, character }) },
);

const registryCommand = fc.oneof(
  {
    weight: 5,
    arbitrary: step('find character', {
      character,
      corporation: fc.option(corporation, { freq: 6 }),
      signsIn,
    }),
  },
  {
    weight: 2,
    arbitrary: step('find corporation', { corporation, alliance: fc.option(alliance), ceo: character, name }),
  },
  { weight: 1, arbitrary: step('find alliance', { alliance, executor: corporation, name }) },
  { weight: 1, arbitrary: step('invite', { character, corporation }) },
  { weight: 2, arbitrary: step('create coalition', { by, name }) },
  { weight: 2, arbitrary: step('create group', { by, name }) },
  { weight: 23, arbitrary: previewed },
);

/** The same step as a dry run. */
const preview = fc
  .oneof(
    { weight: 3, arbitrary: previewed },
    step('set policy', { by, which: fc.nat({ max: 1 }), body: policyChange }),
  )
  .map((of) => ({ do: 'preview', by: (of as Previewed).by, of: of as Previewed }) as const);

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 5, arbitrary: registryCommand },
  { weight: 5, arbitrary: peopleCommand },
  { weight: 2, arbitrary: occurrence },
  { weight: 1, arbitrary: preview },
);

const root = fc.constant('root' as const);
const from = (least: number, most: number, one: fc.Arbitrary<Command>) =>
  fc.array(one, { minLength: least, maxLength: most });

/** Up to 40 steps; the first ones create users and records. */
export const sequences: fc.Arbitrary<Command[]> = fc
  .tuple(
    from(1, 2, step('create group', { by: root, name })),
    from(3, 6, step('find character', { character, corporation, signsIn })),
    from(1, 2, step('create coalition', { by: root, name })),
    // So that users other than root may log in.
    from(
      1,
      1,
      step('update coalition', {
        by: root,
        which: fc.constant(0),
        body: fc.record({ member_corporations: fc.subarray([...CORPORATIONS], { minLength: 3 }) }),
      }),
    ),
    from(0, 4, step('set level', { by: root, character, level: fc.integer({ min: 4, max: 10 }) })),
    from(0, 1, opening),
    from(0, 3, asking),
    from(0, 1, deciding),
    from(0, 2, merging),
    fc.option(goingBack, { nil: [] }),
    from(6, 18, command),
  )
  .map((services) => services.flat());
