import pino from 'pino';
import { startEmbedded } from '../../../dev/postgres/embedded.ts';

/** A process that uses the cluster in the given folder until it is told to end. */
const [dataDir = ''] = process.argv.slice(2);
const asked = new Promise((resolve) => {
  process.once('SIGINT', resolve);
  process.once('SIGTERM', resolve);
});
const embedded = await startEmbedded({ dataDir, log: pino({ level: 'silent' }) });
process.stdout.write(`${JSON.stringify({ url: embedded.url, started: embedded.started })}\n`);
await asked;
await embedded.stop();
