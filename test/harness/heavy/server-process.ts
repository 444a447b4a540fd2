/**
 * The service in a process of its own, without workers, so that nothing but its requests holds its event loop. Tells
 * its port when it is ready, and what it measured whenever it is asked; ends with the process that started it.
 */
import { createApp } from '../../../server/app.ts';
import { readSettings, requireComplete } from '../../../server/config/settings.ts';
import { listen } from '../../../server/http/listen.ts';
import { createLog } from '../../../server/observability/log.ts';
import { LoopMeter } from './loop-meter.ts';

/** What the process that started this one says: measure anew, from a clean heap or as it is. */
export interface Take {
  readonly collectGarbage: boolean;
}

const app = await createApp(requireComplete(readSettings(process.env)), {
  log: createLog('silent'),
  worker: false,
});
const { port } = await listen(app.createHttp(), '127.0.0.1', 0);
const meter = new LoopMeter();
process.on('message', async ({ collectGarbage }: Take) => process.send?.(await meter.take(collectGarbage)));
process.on('disconnect', () => process.exit());
process.send?.({ port });
