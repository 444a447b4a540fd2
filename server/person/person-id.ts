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
