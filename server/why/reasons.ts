import type { Why } from '../../contract/why.ts';

/** The part of an answer that depends on the question alone; time and position are added later. */
export type Answered = Pick<Why, 'answer' | 'sentence' | 'facts' | 'fixes'>;
export type Fact = Why['facts'][number];
export type Fix = Why['fixes'][number];
export type Source = NonNullable<Fact['source']>;

export const yesOrNo = (is: boolean): Why['answer'] => (is ? 'yes' : 'no');

/** Creates a fact; by default it is decisive and has no source. */
export function fact(rule: string, says: string, more: Partial<Fact> = {}): Fact {
  return { rule, source: null, via: null, says, decisive: true, since_event: null, ...more };
}

/** Maximum number of names in a sentence. */
const NAMED = 5;

/** Names in a sentence: "the group A, the coalition B and 3 more". */
export function listed(sources: readonly Source[]): string {
  const names = sources.slice(0, NAMED).map(({ type, name }) => `the ${type} ${name}`);
  const more = sources.length - names.length;
  const parts = more > 0 ? [...names, `${more} more`] : names;
  const last = parts.pop() ?? '';
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}
