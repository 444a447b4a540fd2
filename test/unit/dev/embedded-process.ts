import pino from 'pino';
import { startEmbedded } from '../../../dev/postgres/embedded.ts';

/** A process that uses the cluster in the folder named, until it is asked to end. */
const [dataDir = ''] = process.argv.slice(2);
const asked = new Promise((resolve) => {
  process.once('SIGINT', resolve);
  process.once('SIGTERM', resolve);
});
const embedded = await startEmbedded({ dataDir, log: pino({ level: 'silent' }) });
process.stdout.write(`${JSON.stringify({ url: embedded.url, started: embedded.started })}\n`);
await asked;
await embedded.stop();
