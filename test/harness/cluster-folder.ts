import { chmod, mkdtemp, realpath, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** What statfs(2) calls a file system that is in memory alone. */
const TMPFS = 0x0102_1994;
/** Several clusters side by side with their logs of changes; a container's 64 MB are too few. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * A new folder for a PostgreSQL that nothing has to outlive. In memory where there is enough of it: the hundreds of
 * files of each database cost a disk's file system ten times the CPU. Else below /tmp, not TMPDIR: every account can get
 * there, and the socket's path stays short.
 */
export async function makeClusterFolder(prefix: string): Promise<string> {
  const parent = (await isRoomy(MEMORY)) ? MEMORY : await realpath('/tmp');
  const folder = await mkdtemp(join(parent, prefix));
  await chmod(folder, 0o711);
  return folder;
}

async function isRoomy(folder: string): Promise<boolean> {
  const found = await statfs(folder).catch(() => undefined);
  if (found?.type !== TMPFS) return false;
  // A container may see more of it than it may use.
  const memory = Math.min(freemem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return Math.min(found.bavail * found.bsize, memory) >= ENOUGH_BYTES;
}
