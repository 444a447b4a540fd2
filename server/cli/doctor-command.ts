/** `npm run doctor`: prints one line per check, with advice where something is wrong. */
import { loadSettings } from '../config/settings.ts';
import { connect } from '../database/connection.ts';
import { learnOfPooler } from '../database/open.ts';
import { examine } from '../doctor/doctor.ts';
import { toLines } from '../doctor/finding.ts';
import { createLog } from '../observability/log.ts';
import { outliveReaders } from '../observability/output.ts';
import { explainStart } from '../process/lifecycle.ts';
import { noStandIns, type StartStandIns } from '../process/stand-ins.ts';
import { systemClock } from '../shared/clock.ts';
import { readArguments } from './command-line.ts';

const USAGE = `npm run doctor                checks settings, database, keys, jobs, webhooks, the last 10,000 events, the game's
                              services, the voice server and the disk; changes nothing
npm run doctor -- --events    the same, with all events
npm run doctor -- --checkpoint JWT
                              the same, and compares them with a checkpoint that you stored, from the log or an event

Exit code 0: nothing is wrong; 1: something is (BAD).
`;

async function doctor(startStandIns: StartStandIns): Promise<number> {
  const typed = readArguments(USAGE, {
    options: { events: { type: 'boolean', default: false }, checkpoint: { type: 'string' } },
  });
  if (typed === undefined) return 0;
  const log = createLog('silent');
  const { settings, stop } = await startStandIns(loadSettings(), log, 'doctor');
  // Whether the database can be reached at all is the first thing that is examined.
  await learnOfPooler(settings.databaseUrl).catch(() => undefined);
  const { db, close } = connect({
    url: settings.databaseUrl,
    log,
    poolSize: 1,
    applicationName: 'castellan doctor',
  });
  let wrong = 0;
  try {
    const { events: allEvents, checkpoint } = typed.values;
    for await (const finding of examine(db, settings, systemClock, { allEvents, checkpoint })) {
      process.stdout.write(toLines(finding));
      if (finding.state === 'bad') wrong += 1;
    }
  } finally {
    await close();
    await stop();
  }
  process.stdout.write(wrong === 0 ? 'Nothing is wrong.\n' : `${wrong} thing(s) are wrong.\n`);
  return wrong === 0 ? 0 : 1;
}

/** Exit code 1 when something is wrong. */
export function runDoctor(startStandIns: StartStandIns = noStandIns): void {
  outliveReaders();
  doctor(startStandIns).then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      process.stderr.write(explainStart(error));
      process.exitCode = 1;
    },
  );
}
