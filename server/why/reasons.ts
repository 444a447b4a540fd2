import type { Why } from '../../contract/why.ts';

/** What a question about somebody is answered with, before it is known when and to whom. */
export type Answered = Pick<Why, 'answer' | 'sentence' | 'facts' | 'fixes'>;
export type Fact = Why['facts'][number];
export type Fix = Why['fixes'][number];
export type Source = NonNullable<Fact['source']>;

export const yesOrNo = (is: boolean): Why['answer'] => (is ? 'yes' : 'no');

/** A fact that nobody in particular brings about. */
export function fact(rule: string, says: string, more: Partial<Fact> = {}): Fact {
  return { rule, source: null, via: null, says, decisive: true, since_event: null, ...more };
}

/** As many as a sentence can carry. */
const NAMED = 5;

/** Names in a sentence: "the group A, the coalition B and 3 more". */
export function listed(sources: readonly Source[]): string {
  const names = sources.slice(0, NAMED).map(({ type, name }) => `the ${type} ${name}`);
  const more = sources.length - names.length;
  const parts = more > 0 ? [...names, `${more} more`] : names;
  const last = parts.pop() ?? '';
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}
