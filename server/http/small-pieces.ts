/** Why no more of a body is read. */
export type BodyFault = 'TOO_MANY_PIECES' | 'TOO_MANY_BYTES';

/** Pieces of a body, of which each costs a microsecond of the event loop. */
const MOST_PIECES = 32_768;
/**
 * Pieces of any size. What sends a list element by element has some bytes in each; Node does not stop within the 64 KiB
 * that it reads at once, in which there are 11,000 pieces of one byte.
 */
const TINY_PIECES = 4_096;
/** Bytes that each piece beyond these must bring on average. */
const BYTES_EACH = 8;
/** Bytes as they are sent, where no length tells of them or they are compressed: routes have lower limits. */
const MOST_BYTES = 1280 * 1024;
/** Bytes from which on a piece is worth an object of its own. */
const LARGE = 4 * 1024;
/** Bytes that are put together at most. */
const MOST = 16 * 1024;
/** Bytes that there is room for at first: a slow sender's connection shall not cost more. */
const FIRST = 256;

/**
 * Puts the small pieces of a body together. A client chooses how large its pieces are, and Node makes an object of each:
 * a body of 1 MiB that came byte by byte took 400 MB of memory, and held up the event loop for half a second (D3c).
 */
export class SmallPieces {
  #held: Buffer | undefined;
  #length = 0;
  #pieces = 0;
  #bytes = 0;

  /** Adds a piece; returns what is to be passed on now. */
  add(piece: Buffer): readonly Buffer[] | BodyFault {
    this.#pieces += 1;
    this.#bytes += piece.length;
    if (this.#pieces > Math.min(MOST_PIECES, TINY_PIECES + this.#bytes / BYTES_EACH))
      return 'TOO_MANY_PIECES';
    if (this.#bytes > MOST_BYTES) return 'TOO_MANY_BYTES';
    const isAlone = this.#held === undefined;
    if (piece.length >= LARGE) return isAlone ? [piece] : [...this.rest(), piece];
    if (isAlone) {
      // Mostly the whole body, which need not be copied.
      this.#held = piece;
      this.#length = piece.length;
      return [];
    }
    const full = this.#length + piece.length > MOST ? this.rest() : [];
    this.#append(piece);
    return full;
  }

  /** What is left to be passed on. */
  rest(): readonly Buffer[] {
    const held = this.#held?.subarray(0, this.#length);
    this.#held = undefined;
    this.#length = 0;
    return held === undefined ? [] : [held];
  }

  #append(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (this.#held === undefined || this.#held.length < length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(MOST, Math.max(FIRST, 2 * length)));
      this.#held?.copy(larger, 0, 0, this.#length);
      this.#held = larger;
    }
    piece.copy(this.#held, this.#length);
    this.#length = length;
  }
}
