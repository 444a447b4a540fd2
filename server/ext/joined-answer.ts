import { Readable } from 'node:stream';
import type { ProviderAnswer } from '../provider/answer.ts';
import type { DomainError } from '../shared/errors.ts';
import { findNameable } from './annotations.ts';
import { harmless } from './harmless.ts';
import type { PageSink } from './read-pages.ts';
import { openTemporaryFile, type Piece, type TemporaryFile } from './temporary-file.ts';

/** Bytes of one joined answer (D30). */
const MOST_BYTES = 64 * 1024 * 1024;
/** More pages than the largest list of the game has. */
const MOST_PAGES = 1_000;

/** The pages of one list on their way from the provider to the caller. */
export interface Joined extends PageSink {
  /** The nameable ids in them, if they are wanted. */
  readonly ids: ReadonlySet<number>;
  /** The whole answer as JSON; its size is known beforehand. */
  toStream(
    first: ProviderAnswer,
    annotations: Readonly<Record<string, string>>,
  ): {
    readonly bytes: number;
    readonly stream: Readable;
  };
  close(): Promise<void>;
}

/**
 * Puts pages down in a temporary file as they come, so that however many there are, no more is in memory than is
 * being written. They are joined as text: nothing of them is parsed for that.
 *
 * @param tooLarge what is thrown when they are more than {@link MOST_BYTES}
 */
export function createJoined({
  withIds,
  tooLarge,
}: {
  readonly withIds: boolean;
  readonly tooLarge: () => DomainError;
}): Joined {
  let opening: Promise<TemporaryFile> | undefined;
  let pieces: Piece[] = [];
  let taken = 0;
  const ids = new Set<number>();

  return {
    ids,
    async keep(page, count, answer) {
      const text = entriesOf(answer.body);
      const bytes = Buffer.byteLength(text);
      taken += bytes;
      // Pages are as full as the first one, but for the last: what cannot fit is not asked for.
      const expected = page === 1 ? bytes * (count - 1) : taken;
      if (count > MOST_PAGES || Math.max(expected, taken) > MOST_BYTES) throw tooLarge();
      opening ??= openTemporaryFile();
      pieces[page - 1] = await (await opening).put(text);
      if (withIds) findNameable(answer.data, ids);
    },
    async clear() {
      pieces = [];
      taken = 0;
      ids.clear();
      await (await opening)?.clear();
    },
    toStream(first, annotations) {
      const full = pieces.filter(({ length }) => length > 0);
      const head = Buffer.from('{"data":[');
      const rest = {
        headers: harmless(first.headers),
        id_annotations: annotations,
        status_code: first.status,
      };
      const tail = Buffer.from(`],${JSON.stringify(rest).slice(1)}`);
      const commas = Math.max(full.length - 1, 0);
      const bytes = full.reduce((sum, { length }) => sum + length, head.length + commas + tail.length);
      return { bytes, stream: Readable.from(written(opening, head, full, tail), { objectMode: false }) };
    },
    async close() {
      // One that was never opened has said so where it was wanted.
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

/** A list without its brackets. */
function entriesOf(json: string): string {
  return json.trim().slice(1, -1).trim();
}

async function* written(
  opening: Promise<TemporaryFile> | undefined,
  head: Buffer,
  pieces: readonly Piece[],
  tail: Buffer,
): AsyncGenerator<Buffer> {
  const file = await opening;
  yield head;
  for (const [n, piece] of pieces.entries()) {
    if (n > 0) yield Buffer.from(',');
    if (file !== undefined) yield* file.read(piece);
  }
  yield tail;
}
