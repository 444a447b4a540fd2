import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DomainError } from '../shared/domain-error.ts';

/** A temporary file without a directory entry, which can be written to and read several times. */
export interface TemporaryFile {
  /** Appends bytes and returns their position; concurrent calls are allowed. */
  put(bytes: Buffer): Promise<Piece>;
  read(piece: Piece): AsyncGenerator<Buffer>;
  /** Discards the contents. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** Position and length of what was stored. */
export interface Piece {
  readonly at: number;
  readonly length: number;
}

/** Bytes read at once. */
const CHUNK = 64 * 1024;

/**
 * Creates a new file in the system's directory for temporary files (TMPDIR).
 * @throws DomainError `forwarding_busy` when there is no space or no file descriptor left; `put` does so, too
 */
export async function openTemporaryFile(openFile = open): Promise<TemporaryFile> {
  const path = join(tmpdir(), `castellan-${randomUUID()}`);
  const file = await openFile(path, 'wx+', 0o600).catch(refuse);
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
    async put(bytes) {
      const at = end;
      end += bytes.length;
      for (let done = 0; done < bytes.length; ) {
        const written = await file.write(bytes, done, bytes.length - done, at + done).catch(refuse);
        done += written.bytesWritten;
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

/** A disk that is full, or a limit of open files that is reached, is no fault of the request or of the code. */
function refuse(error: NodeJS.ErrnoException): never {
  if (!NO_ROOM.has(error.code ?? '')) throw error;
  const detail = 'There is no room to join the pages at the moment; try again.';
  throw new DomainError('forwarding_busy', detail, { retryAfter: RETRY_AFTER });
}

const NO_ROOM: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']);
/** Seconds. */
const RETRY_AFTER = 30;
