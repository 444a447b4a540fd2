import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestApp, type TestApp } from '../harness/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
beforeEach(() => app.app.parts.queue.boss.clearStorage());
afterAll(() => app.stop());

describe('D52: a run that is asked for', () => {
  it('is another one when the one that waited has just begun', async () => {
    const { queue, db } = app.app.parts;
    // What the queue says when a run waits, which is gone at the next look.
    const send = vi.spyOn(queue.boss, 'send').mockResolvedValueOnce(null);
    const id = await queue.run(db, 'sync-users', { force: false });
    expect(send).toHaveBeenCalledTimes(2);
    expect(await queue.boss.getJobById('sync-users', id)).toMatchObject({ state: 'created' });
    send.mockRestore();
  });
});
