import { deleteOldDays } from '../server/compliance/note-compliance.queries.ts';
import { deleteCrashesBefore } from '../server/crash/crash.queries.ts';
import { readClock } from '../server/database/clock.queries.ts';
import { isUnreachable } from '../server/database/errors.ts';
import { inTransaction } from '../server/database/transaction.ts';
import { dropExpiredEvents, ensureEventPartitions } from '../server/event/partitions.ts';
import { deleteOrphans, findOrphans } from '../server/history/mail.queries.ts';
import { dropExpired, ensurePartitions } from '../server/history/partitions.ts';
import { deleteHistoryBefore } from '../server/person/person.queries.ts';
import { hasMoreToSweep, sweep } from '../server/provider/budget.queries.ts';
import { beginGeneration } from '../server/provider/cache.queries.ts';
import { wasFetchedSince } from '../server/provider/document.queries.ts';
import { ProviderError } from '../server/provider/http.ts';
import { findStaleNames, forgetUnnamed, type NamePlace } from '../server/provider/names.queries.ts';
import { createNames } from '../server/provider/names.ts';
import { createRunClient } from '../server/provider/run-client.ts';
import { CACHE_BYTES } from '../server/provider/upkeep.ts';
import type { Run } from '../server/queue/run.ts';
import type { Services } from '../server/services/services.ts';
import { deleteExpiredArtifacts } from '../server/session/artifacts.queries.ts';
import { deleteOldEndings } from '../server/session/endings.queries.ts';
import { deleteCodesExpiredBefore } from '../server/sign-in/state-code.queries.ts';
import { deleteExpiredTokens } from '../server/token/token.queries.ts';
import { deleteExpiredChallenges } from '../server/voice/voice.queries.ts';
import { deleteEndedBefore } from '../server/webhook/delivery.queries.ts';
import { reencryptSecrets } from '../server/webhook/secret-keys.ts';

type MaintenanceServices = Pick<Services, 'db' | 'clock' | 'log' | 'client' | 'document' | 'vault'>;
/** One step; returns the number of rows that it changed. */
type Step = (services: MaintenanceServices, run: Run) => Promise<number>;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Rows per statement, so that its locks last milliseconds only. */
const BATCH = 1000;
/** Maximum statements per step and run, so that rows which cannot be deleted do not cause an endless loop. */
const MOST_SWEEPS = 1000;
/** Mails examined by one statement. */
const LOOKED_AT = 5000;
/**
 * Names per request: few enough that halving finds an invalid id within the number of refusals that a call may cause.
 */
const NAMES = 500;
/** Requests for names per run. */
const NAME_REQUESTS = 40;
/** Limits of these requests: the run stops at the first failure, and the next run continues there. */
const ONE_BY_ONE = { concurrency: 1, failuresInARow: 1, patient: true };
/** Milliseconds for which expired state codes are kept, so that who returns late is told so (D26). */
const CODES_KEPT = HOUR;
/** Milliseconds for which crash reports are kept (D50). */
const CRASHES_KEPT = 90 * DAY;
/** Milliseconds for which events of persons are kept (D101). */
const PERSONS_KEPT = 3 * 365 * DAY;
/** Milliseconds after which all sessions from before have expired (D82). */
const ENDINGS_KEPT = 31 * DAY;
/** Milliseconds for which finished deliveries are kept (D93). */
const DELIVERIES_KEPT = 30 * DAY;
/** Milliseconds after which the provider's document is fetched again (D31). */
const DOCUMENT_GOOD_FOR = DAY;

/** Milliseconds by which this machine's clock may differ from the database's before it is not believed. */
const MAX_CLOCK_DIFFERENCE = 5 * 60_000;

/** What is deleted for its age: never again to be had, so not by a clock that is wrong. */
const deletions: Readonly<Record<string, Step>> = {
  'drop old partitions': async ({ db, clock, log }) => (await dropExpired(db, clock.now(), log)).length,
  'drop old events': async ({ db, clock, log }) => (await dropExpiredEvents(db, clock.now(), log)).length,
  'delete expired tokens': deleteInBatches(({ db, clock }) => deleteExpiredTokens(db, clock.now(), BATCH)),
  'delete expired state codes': deleteInBatches(({ db, clock }) =>
    deleteCodesExpiredBefore(db, new Date(clock.now().getTime() - CODES_KEPT), BATCH),
  ),
  'delete expired sessions': deleteInBatches(({ db, clock }) =>
    deleteExpiredArtifacts(db, clock.now(), BATCH),
  ),
  'forget ended sessions': ({ db, clock }) =>
    deleteOldEndings(db, new Date(clock.now().getTime() - ENDINGS_KEPT)),
  'delete expired challenges': ({ db, clock }) => deleteExpiredChallenges(db, clock.now()),
  'delete old crash reports': deleteInBatches(({ db, clock }) =>
    deleteCrashesBefore(db, new Date(clock.now().getTime() - CRASHES_KEPT), BATCH),
  ),
  'delete old days of compliance': ({ db, clock }) => deleteOldDays(db, clock.now()),
  'delete old history of persons': deleteInBatches(({ db, clock }) =>
    deleteHistoryBefore(db, new Date(clock.now().getTime() - PERSONS_KEPT), BATCH),
  ),
  'delete old deliveries of webhooks': deleteInBatches(({ db, clock }) =>
    deleteEndedBefore(db, new Date(clock.now().getTime() - DELIVERIES_KEPT), BATCH),
  ),
};

const steps: Readonly<Record<string, Step>> = {
  'make partitions': async ({ db, clock, log }) => (await ensurePartitions(db, clock.now(), log)).length,
  'make partitions of events': async ({ db, clock, log }) =>
    (await ensureEventPartitions(db, clock.now(), log)).length,
  ...Object.fromEntries(Object.entries(deletions).map(([name, step]) => [name, ifClocksAgree(step)])),
  'encrypt secrets of webhooks with the present key': reencryptSecrets,
  'delete orphaned mails': deleteOrphanedMails,
  'sweep the cache': sweepAll,
  'forget what has no name': deleteInBatches(({ db, clock }) => forgetUnnamed(db, clock.now(), BATCH)),
  'renew names': renewNames,
  'renew the document': renewDocument,
};

/**
 * Deletes what has expired (partitions, tokens, state codes, crash reports, mails) and refreshes what gets old (the
 * provider's names and document). A failed step does not prevent the others; one that the provider failed is left to
 * the next run, as in the other jobs, so that an outage is no failed run.
 *
 * @throws Error that names the failed steps, after all have run; at once when the run is aborted
 */
export async function runMaintenance(services: MaintenanceServices, run: Run): Promise<void> {
  const { log } = services;
  const failed: string[] = [];
  const all = Object.entries(steps);
  for (const [index, [name, step]] of all.entries()) {
    refuseWhenEnded(run);
    try {
      const rows = await step(services, run);
      if (rows > 0)
        log.info({ job: run.job, run_id: run.id, step: name, rows }, 'a step of maintenance is done');
    } catch (error) {
      refuseWhenEnded(run);
      const about = { err: error, job: run.job, run_id: run.id, step: name };
      if (error instanceof ProviderError) log.warn(about, 'the provider failed: the next run continues');
      else {
        log.error(about, 'a step of maintenance failed');
        if (isUnreachable(error)) throw error;
        failed.push(name);
      }
    }
    run.progress(index + 1, all.length);
  }
  if (failed.length > 0) throw new Error(`failed to ${failed.join(', ')}; the log says why`);
}

/** @throws Error where this machine's clock is not the database's */
function ifClocksAgree(step: Step): Step {
  return async (services, run) => {
    const { db, clock } = services;
    if (clock.real) {
      const apart = Math.abs((await readClock(db)).getTime() - clock.now().getTime());
      if (apart > MAX_CLOCK_DIFFERENCE) {
        throw new Error(`nothing is deleted: the clocks of machine and database differ by ${apart / 1000} s`);
      }
    }
    return step(services, run);
  };
}

function refuseWhenEnded({ signal }: Run): void {
  if (signal.aborted) throw new Error('maintenance was told to end');
}

function deleteInBatches(deleteSome: (services: MaintenanceServices) => Promise<number>): Step {
  return async (services, run) => {
    for (let all = 0; ; ) {
      refuseWhenEnded(run);
      const deleted = await deleteSome(services);
      all += deleted;
      if (deleted < BATCH) return all;
    }
  };
}

/** Deletes mails that are in no mailbox any more for another reason than the deletion of a user. */
async function deleteOrphanedMails({ db }: MaintenanceServices, run: Run): Promise<number> {
  let deleted = 0;
  for (let after: number | null = 0; after !== null; ) {
    refuseWhenEnded(run);
    const { last, orphans } = await findOrphans(db, after, LOOKED_AT);
    if (orphans.length > 0) deleted += await inTransaction(db, (tx) => deleteOrphans(tx, orphans));
    after = last;
  }
  return deleted;
}

async function sweepAll({ db, clock }: MaintenanceServices, run: Run): Promise<number> {
  await beginGeneration(db, CACHE_BYTES);
  let sweeps = 0;
  while (sweeps < MOST_SWEEPS && (await hasMoreToSweep(db, clock.now()))) {
    refuseWhenEnded(run);
    await sweep(db, clock.now(), BATCH);
    sweeps += 1;
  }
  return sweeps;
}

/**
 * Refreshes stored names in bulk before they are needed. Stops when the provider refuses an id; the next run continues.
 */
async function renewNames({ db, clock, client }: MaintenanceServices, run: Run): Promise<number> {
  const now = clock.now();
  const names = createNames({ db, clock, client: createRunClient(client, run, ONE_BY_ONE) });
  let renewed = 0;
  let after: NamePlace | undefined;
  for (let requests = 0; requests < NAME_REQUESTS; requests += 1) {
    refuseWhenEnded(run);
    const page = await findStaleNames(db, now, { after, most: NAMES });
    const { names: found, failure } = await names.find(
      page.map(({ id }) => id),
      'service',
    );
    if (failure !== undefined) throw failure;
    renewed += found.size;
    after = page.at(-1);
    if (page.length < NAMES || found.size < page.length) break;
  }
  return renewed;
}

async function renewDocument({ db, clock, document }: MaintenanceServices): Promise<number> {
  const now = clock.now();
  if (await wasFetchedSince(db, new Date(now.getTime() - DOCUMENT_GOOD_FOR), now)) return 0;
  await document.refresh();
  return 1;
}
