/** What a caller would need for what it asks: a level, authority over something, or what nobody can have (D5). */
export type Lack =
  | {
      readonly level: number;
      readonly has: number;
      /** What needs the level; the operation as a whole where left out. */
      readonly to?: string;
    }
  | { readonly authority: 'read' | 'write'; readonly over: string }
  | { readonly never: string };

/** The rest of the sentence that a refusal begins with. */
export function inWords(lack: Lack): string {
  if ('never' in lack) return lack.never;
  if ('authority' in lack) return `no ${lack.authority} authority over ${lack.over}`;
  return `${lack.to ?? 'this'} needs ${lack.level}, and the token's owner has ${lack.has}`;
}
