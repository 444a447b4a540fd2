import { open } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openTemporaryFile } from '../../../server/ext/temporary-file.ts';

/** The system's errors when it has no more files or space. */
const full = (code: string) => Object.assign(new Error(`${code}: the system has no room`), { code });

it.each(['EMFILE', 'ENFILE'])('D30: joining pages waits when no file can be opened: %s', async (code) => {
  await expect(openTemporaryFile(() => Promise.reject(full(code)))).rejects.toMatchObject({
    code: 'forwarding_busy',
    retryAfter: 30,
  });
});

it.each(['ENOSPC', 'EDQUOT'])('D30: joining pages waits when the disk is full: %s', async (code) => {
  const file = await openTemporaryFile(async (...named) => {
    const handle = await open(...named);
    handle.write = () => Promise.reject(full(code));
    return handle;
  });
  await expect(file.put(Buffer.from('page'))).rejects.toMatchObject({
    code: 'forwarding_busy',
    retryAfter: 30,
  });
  await file.close();
});

it('any other error of the file is passed on', async () => {
  await expect(openTemporaryFile(() => Promise.reject(full('EACCES')))).rejects.toMatchObject({
    code: 'EACCES',
  });
});
