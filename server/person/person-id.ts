import { MAX_ID } from '../../contract/common.ts';

/** Ids that were made begin with a time, which is never so early. */
const SOLE = /^0{10}[0-9a-f]{14}$/;

/** The id of a person of one character, which has no row: until its first link. */
export function soleId(characterId: number): string {
  return characterId.toString(16).padStart(24, '0');
}

/** The character that such an id means; undefined: it is the id of a row. */
export function soleCharacter(personId: string): number | undefined {
  const characterId = SOLE.test(personId) ? Number.parseInt(personId, 16) : undefined;
  return characterId !== undefined && characterId <= MAX_ID ? characterId : undefined;
}
