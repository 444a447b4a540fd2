/**
 * Runs the service in a separate process without jobs, so that only its requests use the event loop. It reports its
 * port when it is ready and its measurements on request, and ends with its parent process.
 */
import { createApi } from '../../../server/api.ts';
import { createApp } from '../../../server/app.ts';
import { readSettings, requireComplete } from '../../../server/config/settings.ts';
import { listen } from '../../../server/http/listen.ts';
import { createLog } from '../../../server/observability/log.ts';
import { LoopMeter } from './loop-meter.ts';

/** A message of the parent process, which asks for the measurements and starts new ones. */
export interface Take {
  readonly collectGarbage: boolean;
}

const app = await createApp(requireComplete(readSettings(process.env)), {
  log: createLog('silent'),
  worker: false,
});
const { port } = await listen(createApi(app.services), '127.0.0.1', 0);
const meter = new LoopMeter();
process.on('message', async ({ collectGarbage }: Take) => process.send?.(await meter.take(collectGarbage)));
process.on('disconnect', () => process.exit());
process.send?.({ port });
