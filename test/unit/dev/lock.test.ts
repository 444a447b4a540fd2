import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withLock } from '../../../dev/postgres/lock.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'castellan-lock-'));
  file = join(folder, 'lock');
});
afterEach(() => rm(folder, { recursive: true }));

/** Records the number of concurrent holders. */
function crowd(size: number): Promise<number> {
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await readFile('/dev/null');
    inside--;
  };
  return Promise.all(Array.from({ length: size }, () => withLock(file, 10_000, work))).then(() => most);
}

describe('withLock', () => {
  it('lets one holder in at a time and leaves no file', async () => {
    expect(await crowd(20)).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });

  it('takes over from a process that died', async () => {
    const { pid } = spawnSync('true');
    await writeFile(file, `${pid} 1`);
    expect(await crowd(5)).toBe(1);
  });

  it.runIf(process.platform === 'linux')(
    'takes over from a process whose id another one has now',
    async () => {
      await writeFile(file, `${process.pid} 1`);
      expect(await withLock(file, 1000, () => Promise.resolve('mine'))).toBe('mine');
    },
  );

  it('gives up on a lock whose owner lives after a timeout, and releases its own after a failure', async () => {
    const failing = withLock(file, 1000, async () => {
      await expect(withLock(file, 50, () => Promise.resolve())).rejects.toThrow(
        `Process ${process.pid} has been`,
      );
      throw new Error('failed inside');
    });
    await expect(failing).rejects.toThrow('failed inside');
    expect(await readdir(folder)).toEqual([]);
  });
});
