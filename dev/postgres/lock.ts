import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CannotStart } from '../../server/shared/cannot-start.ts';

const POLL_MILLIS = 25;

/**
 * Runs `work` while this process alone holds the lock file, for starting and stopping one cluster from several
 * processes. The lock of a process that died is taken over. PostgreSQL's own postmaster.pid is the second guard.
 *
 * @throws when a living process keeps the lock longer than `patienceMillis`.
 */
export async function withLock<T>(file: string, patienceMillis: number, work: () => Promise<T>): Promise<T> {
  const mine = await identity(process.pid);
  const deadline = Date.now() + patienceMillis;
  while (!(await claim(file, mine))) {
    const holder = await readFile(file, 'utf8').catch(() => undefined);
    if (holder === undefined) continue;
    if (!(await isAlive(holder))) await removeStale(file, holder);
    else if (Date.now() > deadline) {
      throw new CannotStart(
        `Process ${holder.split(' ')[0]} has been starting or stopping PostgreSQL for too long (${file}).`,
      );
    } else await sleep(POLL_MILLIS);
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

/** Written aside and linked, so that the file never appears without its content. */
async function claim(file: string, content: string): Promise<boolean> {
  const aside = asideOf(file);
  await writeFile(aside, content, { mode: 0o600 });
  try {
    await link(aside, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(aside, { force: true });
  }
}

/** Moves the file away before looking at it once more: of several that try, only one gets the dead one's. */
async function removeStale(file: string, stale: string): Promise<void> {
  const aside = asideOf(file);
  try {
    await rename(file, aside);
  } catch {
    return;
  }
  const taken = await readFile(aside, 'utf8');
  // Somebody was quicker and this is already their lock: put it back.
  if (taken !== stale) await link(aside, file).catch(() => undefined);
  await rm(aside, { force: true });
}

const asideOf = (file: string) => `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;

async function isAlive(holder: string): Promise<boolean> {
  const pid = Number(holder.split(' ')[0]);
  return isRunning(pid) && (await identity(pid)) === holder;
}

/**
 * Process ids are used again, above all in containers: on Linux the start time tells two processes apart.
 * A zombie, dead but not reaped by its parent, has none.
 */
async function identity(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? `${pid} dead` : `${pid} ${fields[19] ?? ''}`;
}

/** Whether a process with this id exists, ours or somebody else's. */
export function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
