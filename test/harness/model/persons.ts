import { type Expected, is } from './expected.ts';
import type { PeopleCommand } from './people-commands.ts';
import { CHARACTERS, type ModelPerson, type ModelUser, mayUseTokens, type World } from './world.ts';

const idAt = (place: number) => CHARACTERS[place]?.id ?? -1;

/** The person of a character; undefined when it was never linked. */
export const personOf = (world: World, id: number) =>
  world.persons.find(({ characters }) => characters.has(id));

/** All characters of this character's person. */
export const charactersOf = (world: World, id: number) => [...(personOf(world, id)?.characters ?? [id])];

/** Removes characters from their persons. */
export const detach = (world: World, ids: readonly number[]) => move(world, ids, undefined);

/** Removes persons of one character, and replaces lost mains by the character that was proven first (D101). */
function move(world: World, ids: readonly number[], to: ModelPerson | undefined): void {
  for (const id of ids) personOf(world, id)?.characters.delete(id);
  for (const id of ids) to?.characters.add(id);
  if (to !== undefined && !world.persons.includes(to)) world.persons.push(to);
  world.persons = world.persons.filter(({ characters }) => characters.size > 1);
  for (const person of world.persons) {
    if (!person.characters.has(person.main)) person.main = longestProven(world, person.characters);
  }
}

function longestProven(world: World, ids: Iterable<number>): number {
  const since = (id: number) => world.users.get(id)?.proven ?? Number.POSITIVE_INFINITY;
  const [first] = [...ids].sort((one, other) =>
    since(one) === since(other) ? one - other : since(one) - since(other),
  );
  return first as number;
}

const personOrNew = (world: World, id: number): ModelPerson =>
  personOf(world, id) ?? { main: id, characters: new Set([id]) };

export function link(world: World, by: ModelUser, place: number): Expected | undefined {
  const other = world.users.get(idAt(place));
  // No character to sign in with.
  if (other === undefined) return undefined;
  if (!mayUseTokens(world, other) || other.id === by.id || other.level < 0) return is(422);
  const former = personOf(world, other.id);
  if (former?.characters.has(by.id)) return is(200);
  if (former?.main === other.id) return is(409);
  move(world, [other.id], personOrNew(world, by.id));
  return is(200);
}

export function unlink(world: World, by: ModelUser, place: number): Expected {
  const person = personOf(world, by.id);
  if (!person?.characters.has(idAt(place))) return is(404);
  if (person.main === idAt(place)) return is(409);
  detach(world, [idAt(place)]);
  return is(200);
}

export function chooseMain(world: World, by: ModelUser, place: number): Expected {
  if (!charactersOf(world, by.id).includes(idAt(place))) return is(404);
  const person = personOf(world, by.id);
  if (person !== undefined) person.main = idAt(place);
  return is(200);
}

export function merge(world: World, command: Extract<PeopleCommand, { readonly do: 'merge' }>): Expected {
  const [id, other] = [idAt(command.character), idAt(command.other)];
  if (!world.users.has(id) || !world.users.has(other)) return is(404);
  if (charactersOf(world, id).includes(other)) return is(422);
  if (!command.dry) move(world, charactersOf(world, other), personOrNew(world, id));
  return is(200);
}

export function split(world: World, command: Extract<PeopleCommand, { readonly do: 'split' }>): Expected {
  const leaving = [...new Set(command.leaving.map(idAt))];
  const id = idAt(command.character);
  if (!world.users.has(id)) return is(404);
  const all = charactersOf(world, id);
  if (leaving.some((one) => !all.includes(one))) return is(404);
  if (leaving.length === all.length) return is(422);
  if (command.dry) return is(200);
  if (leaving.length === 1) detach(world, leaving);
  else move(world, leaving, { main: longestProven(world, leaving), characters: new Set() });
  return is(200);
}
