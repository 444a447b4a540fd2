/** The result of one check; `advice` says what to do, if anything. */
export interface Finding {
  readonly about: string;
  readonly state: 'good' | 'mind' | 'bad';
  readonly says: string;
  readonly advice?: string;
}

export const good = (about: string, says: string): Finding => ({ about, state: 'good', says });
export const mind = (about: string, says: string, advice: string): Finding => ({
  about,
  state: 'mind',
  says,
  advice,
});
export const bad = (about: string, says: string, advice: string): Finding => ({
  about,
  state: 'bad',
  says,
  advice,
});

const MARKS = { good: 'ok  ', mind: 'mind', bad: 'BAD ' } as const;

/** A finding as text: one line, and the advice on the next. */
export function toLines({ about, state, says, advice }: Finding): string {
  const todo = advice === undefined ? '' : `     → ${advice}\n`;
  return `${MARKS[state]} ${about}: ${says}\n${todo}`;
}
