/** What a caller lacks: a level, authority over something, or a right that nobody can have (D5). */
export type Lack =
  | {
      readonly level: number;
      readonly has: number;
      /** What needs the level; undefined for the whole operation. */
      readonly to?: string;
    }
  | { readonly authority: 'read' | 'write'; readonly over: string }
  | { readonly never: string };

/** The lack as the second half of the refusal's sentence. */
export function inWords(lack: Lack): string {
  if ('never' in lack) return lack.never;
  if ('authority' in lack) return `no ${lack.authority} authority over ${lack.over}`;
  return `${lack.to ?? 'this'} needs ${lack.level}, and the token's owner has ${lack.has}`;
}
