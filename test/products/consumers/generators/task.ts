/** What each generated client is asked to do, and says when it is done. */
declare const process: {
  readonly env: Readonly<Record<string, string>>;
  readonly stdout: { write(text: string): void };
};

export const { BASE_URL = '', TOKEN = '', COALITION_ID = '', CHARACTER_ID = '' } = process.env;
export const characterId = Number(CHARACTER_ID);
export const headers = { authorization: `Bearer ${TOKEN}` };

export interface Done {
  readonly groups: readonly string[];
  readonly ticker: string;
  readonly balances: readonly number[];
  /** Where the game says that the character is: asked for by a path of several segments. */
  readonly system: unknown;
}

export function done(result: Done): void {
  process.stdout.write(JSON.stringify(result));
}

export function present<Value>(value: Value | undefined, error?: unknown): Value {
  if (value === undefined) throw new Error(JSON.stringify(error));
  return value;
}
