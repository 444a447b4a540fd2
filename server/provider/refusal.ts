/** The provider refused a forwarded request; its answer is passed on (D30). */
export class ProviderRefusal extends Error {
  /** The provider's answer with the headers that are passed on. */
  readonly answer: ProviderRefusalAnswer;
  constructor(words: string, answer: ProviderRefusalAnswer) {
    super(words);
    this.name = 'ProviderRefusal';
    this.answer = answer;
  }
}

interface ProviderRefusalAnswer {
  readonly data: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly status_code: number;
}
