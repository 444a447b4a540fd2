import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A temporary file without a directory entry, which can be written to and read several times. */
export interface TemporaryFile {
  /** Appends text and returns its position; concurrent calls are allowed. */
  put(text: string): Promise<Piece>;
  read(piece: Piece): AsyncGenerator<Buffer>;
  /** Discards the contents. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Position and length of a stored text. */
export interface Piece {
  readonly at: number;
  readonly length: number;
}

/** Bytes read at once. */
const CHUNK = 64 * 1024;

/** Creates a new file in the system's directory for temporary files (TMPDIR). */
export async function openTemporaryFile(): Promise<TemporaryFile> {
  const path = join(tmpdir(), `castellan-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  // After the unlink the file is freed with its last handle, however the process ends.
  await unlink(path).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  return temporaryFileIn(file);
}

function temporaryFileIn(file: FileHandle): TemporaryFile {
  let end = 0;
  return {
    async put(text) {
      const bytes = Buffer.from(text);
      const at = end;
      end += bytes.length;
      for (let done = 0; done < bytes.length; ) {
        done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
      }
      return { at, length: bytes.length };
    },
    async *read({ at, length }) {
      for (let done = 0; done < length; ) {
        const size = Math.min(CHUNK, length - done);
        const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(size), 0, size, at + done);
        if (bytesRead === 0) throw new Error('a temporary file is shorter than what was put down in it');
        done += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    },
    async clear() {
      end = 0;
      await file.truncate(0);
    },
    close: () => file.close(),
  };
}
