/** The provider refused what somebody wanted forwarded: its answer is ours to pass on (D30). */
export class ProviderRefusal extends Error {
  /** What it answered, with the headers that are passed on. */
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
