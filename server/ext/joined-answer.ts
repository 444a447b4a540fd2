import { Readable } from 'node:stream';
import type { ProviderAnswer } from '../provider/answer.ts';
import type { DomainError } from '../shared/domain-error.ts';
import { collectNameable } from './annotations.ts';
import { answerAround } from './answer-around.ts';
import { entriesOf } from './list-entries.ts';
import type { PageSink } from './read-pages.ts';
import { openTemporaryFile, type Piece, type TemporaryFile } from './temporary-file.ts';

/** Maximum size of one joined answer in bytes (D30). */
const MOST_BYTES = 64 * 1024 * 1024;
/** Maximum number of pages; the game's largest list has fewer. */
export const MOST_PAGES = 1_000;

/** Collects the pages of one list and streams them to the caller. */
export interface Joined extends PageSink {
  /** The nameable ids in the pages, if names are requested. */
  readonly ids: ReadonlySet<number>;
  /** The whole answer as a stream of JSON text, whose size is known beforehand. */
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
 * Writes pages to a temporary file as they arrive, so that memory holds only the page being written. Pages are joined
 * as they are written, without parsing.
 *
 * @param tooLarge the error to throw when they exceed {@link MOST_PAGES} or {@link MOST_BYTES}
 */
export function createJoined({
  withIds,
  tooLarge,
}: {
  readonly withIds: boolean;
  readonly tooLarge: (exceeded: 'pages' | 'bytes') => DomainError;
}): Joined {
  let opening: Promise<TemporaryFile> | undefined;
  let pieces: Piece[] = [];
  let stored = 0;
  let taken = 0;
  const ids = new Set<number>();

  return {
    ids,
    async store(page, count, answer) {
      const entries = entriesOf(answer.body) ?? Buffer.alloc(0);
      stored += 1;
      taken += entries.length;
      if (count > MOST_PAGES) throw tooLarge('pages');
      // All pages but the last have as many entries, so they are of a size; the more have come, the surer is that size.
      const expected = (taken / stored) * (count - 1);
      if (taken > MOST_BYTES || expected > MOST_BYTES * (1 + 1 / stored)) throw tooLarge('bytes');
      opening ??= openTemporaryFile();
      pieces[page - 1] = await (await opening).put(entries);
      if (withIds) await collectNameable(answer, ids);
    },
    async clear() {
      pieces = [];
      stored = 0;
      taken = 0;
      ids.clear();
      await (await opening)?.clear();
    },
    toStream(first, annotations) {
      const full = pieces.filter(({ length }) => length > 0);
      const around = answerAround(first, annotations);
      const [head, tail] = [Buffer.from(`${around.head}[`), Buffer.from(`]${around.tail}`)];
      const commas = Math.max(full.length - 1, 0);
      const bytes = full.reduce((sum, { length }) => sum + length, head.length + commas + tail.length);
      return { bytes, stream: Readable.from(written(opening, head, full, tail), { objectMode: false }) };
    },
    async close() {
      // If opening failed, that error was reported where the file was needed.
      await (await opening?.catch(() => undefined))?.close();
    },
  };
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
