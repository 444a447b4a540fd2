import { open } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openTemporaryFile } from '../../../server/ext/temporary-file.ts';

/** What the system says when it has no more room. */
const full = (code: string) => Object.assign(new Error(`${code}: the system has no room`), { code });

it.each(['EMFILE', 'ENFILE'])('D30: joined pages wait where no file can be opened: %s', async (code) => {
  await expect(openTemporaryFile(() => Promise.reject(full(code)))).rejects.toMatchObject({
    code: 'forwarding_busy',
    retryAfter: 30,
  });
});

it.each(['ENOSPC', 'EDQUOT'])('D30: joined pages wait where the disk has no room: %s', async (code) => {
  const file = await openTemporaryFile(async (...named) => {
    const handle = await open(...named);
    handle.write = () => Promise.reject(full(code));
    return handle;
  });
  await expect(file.put('page')).rejects.toMatchObject({ code: 'forwarding_busy', retryAfter: 30 });
  await file.close();
});

it('any other fault of the file is a fault', async () => {
  await expect(openTemporaryFile(() => Promise.reject(full('EACCES')))).rejects.toMatchObject({
    code: 'EACCES',
  });
});
