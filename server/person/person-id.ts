import { MAX_ID } from '../../contract/common.ts';

/** Matches ids of persons without a row. Ids of rows begin with the time of their creation, which is not 0. */
const SOLE = /^0{10}[0-9a-f]{14}$/;

/** The id of the person of a character that was never linked; it has no row. */
export function soleId(characterId: number): string {
  return characterId.toString(16).padStart(24, '0');
}

/** The character in an id that {@link soleId} made; undefined for the id of a row. */
export function soleCharacter(personId: string): number | undefined {
  const characterId = SOLE.test(personId) ? Number.parseInt(personId, 16) : undefined;
  return characterId !== undefined && characterId <= MAX_ID ? characterId : undefined;
}

/**
 * The id of a person as a reader gets it. Where characters are hidden it is that of the smallest visible one alone: two
 * readers could tell by a common id that characters of which each sees one belong together (D100).
 *
 * @param personId null when the character was never linked
 */
export function idFor(
  personId: string | null,
  characters: readonly number[],
  visible: ReadonlySet<number>,
): string {
  const seen = characters.filter((id) => visible.has(id));
  return personId !== null && seen.length === characters.length ? personId : soleId(Math.min(...seen));
}
