/** Things that one act at a time may use. */
export class Lender<Thing> {
  readonly #free: Thing[];
  readonly #random: () => number;

  constructor(random: () => number, things: readonly Thing[] = []) {
    this.#random = random;
    this.#free = [...things];
  }

  get free(): number {
    return this.#free.length;
  }

  /** One of them at random; undefined where all are in use. */
  take(): Thing | undefined {
    return this.#free.splice(Math.floor(this.#random() * this.#free.length), 1)[0];
  }

  add(thing: Thing): void {
    this.#free.push(thing);
  }

  /** Uses one for as long as the work takes; does nothing where all are in use. */
  async lend(work: (thing: Thing) => Promise<unknown>): Promise<void> {
    const thing = this.take();
    if (thing === undefined) return;
    try {
      await work(thing);
    } finally {
      this.add(thing);
    }
  }
}
