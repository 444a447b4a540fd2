import pMap from 'p-map';
import { isUnreachable } from '../database/errors.ts';
import { ProviderError } from '../provider/http.ts';
import { createNames, type Names } from '../provider/names.ts';
import { createRunClient, type RunClient, RunEnded } from '../provider/run-client.ts';
import type { Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import { createSemaphore, type Semaphore } from '../shared/semaphore.ts';
import { type CollectingJob, type HistoryName, KINDS, type Rhythm } from './kinds.ts';
import { storeLocation } from './location.ts';
import { indexMail } from './mailbox.ts';
import { storeSkillPoints } from './skill-points.ts';
import { type HistoryServices, PartsMissing } from './source.ts';
import { countDue, endTurn, giveBack, makeDue, putOff, type Turn, takeTurns } from './turn.queries.ts';
import { storeWallet } from './wallet.ts';

type CollectServices = Pick<Services, 'db' | 'client' | 'clock' | 'log'>;

const MINUTE = 60_000;

/** Characters per run; with a run every five minutes 120,000 per hour. */
const PER_RUN = 10_000;
/** Characters claimed by one statement: few enough to be finished well within {@link HELD_FOR}. */
const PAGE = 40;
/** Lease in milliseconds: after that other workers take over a silent worker's characters. */
const HELD_FOR = 10 * MINUTE;
/**
 * With these limits the provider's daily downtime costs at most 9 errors in the run during which it begins, and one in
 * each later run (D63). `errors` bounds what the provider refuses, which is no failure of it: of names above all (D33).
 */
const BOUNDS = { concurrency: 8, failuresAtStart: 1, failuresInARow: 3, errors: 20, patient: true };
/**
 * Consecutive refusals (such as unexpected 403s, provider.md §2, or used-up rate limits of characters) that indicate a
 * fault of the provider, not of the characters.
 */
const REFUSALS = 5;
/**
 * Refusals of structures (the character is not on their list) after which a run asks for no more structures; requests
 * that are under way by then may add a few.
 */
const STRUCTURE_REFUSALS = 10;
/** Backoff in milliseconds before a failed character is tried again: first, doubling, up to the maximum. */
const AGAIN_AFTER = 5 * MINUTE;
const LONGEST_PAUSE = 24 * 60 * MINUTE;
/** Milliseconds within which the job `check-grants` checks a refresh token that turned out to be dead. */
const CHECKED_WITHIN = 15 * MINUTE;
/** Milliseconds: a turn that is due later than this was put off, or claimed, by a worker whose clock is ahead. */
const LATEST = LONGEST_PAUSE + 60 * MINUTE;

/** Performs one turn (one character's due entry) of a history and completes it. */
type TakeTurn = (services: HistoryServices, turn: Turn) => Promise<unknown>;

const TAKE: { readonly [Name in HistoryName]: TakeTurn } = {
  location: (services, turn) => storeLocation(services, turn.characterId, services.clock.now(), turn),
  async mail(services, turn) {
    // No need for a lease check: a mail is stored once, however often it is indexed.
    await indexMail(services, turn.characterId);
    await endTurn(services.db, turn, services.clock.now());
  },
  skillpoints: (services, turn) => storeSkillPoints(services, turn.characterId, services.clock.now(), turn),
  wallet: (services, turn) => storeWallet(services, turn.characterId, services.clock.now(), turn),
};

type Collector = (services: CollectServices, run: Run, most?: number) => Promise<void>;

/**
 * For each job of a history: stores an entry of every character whose turn has come. A failure for one character is
 * retried later with growing backoff and does not delay others; one run handles at most `most`. When the provider
 * fails, the run ends early, and the next one continues with the characters that stay due.
 *
 * @throws Error when the run was stopped, the database failed, or character after character was refused
 */
export const collectors = Object.fromEntries(
  Object.values(KINDS).map((kept) => [
    kept.job,
    ((services, run, most = PER_RUN) => collect(services, run, kept, most)) satisfies Collector,
  ]),
) as { readonly [Job in CollectingJob]: Collector };

/** State shared by the turns of one run. */
interface Collecting {
  readonly services: CollectServices;
  readonly run: Run;
  readonly kept: Rhythm;
  readonly client: RunClient;
  readonly structures: { refusals: number };
  readonly texts: Map<number, number>;
  /**
   * Names are looked up for one turn after the other: turns that shared the errors which are left in the run would all
   * be interrupted before they had found an id without a name.
   */
  readonly oneAtATime: Semaphore;
  /** Consecutive turns in which the provider answered, but not with the expected data. */
  refusals: number;
  /** Whether the run has failed, which it has not where the provider is down or too slow. */
  failed: boolean;
}

async function collect(services: CollectServices, run: Run, kept: Rhythm, most: number): Promise<void> {
  const { db, clock, log } = services;
  const due = clock.now();
  await makeDue(db, kept.history, { now: due, latest: new Date(due.getTime() + LATEST) });
  const total = Math.min(await countDue(db, kept.history, due), most);
  const client = createRunClient(services.client, run, BOUNDS);
  const collecting: Collecting = {
    services,
    run,
    kept,
    client,
    structures: { refusals: STRUCTURE_REFUSALS },
    texts: new Map(),
    oneAtATime: createSemaphore(1),
    refusals: 0,
    failed: false,
  };
  let done = 0;
  for (let found = 1; found > 0 && done < most && client.stopped === undefined; ) {
    const now = clock.now();
    const until = new Date(now.getTime() + HELD_FOR);
    const { turns, passed } = await takeTurns(db, kept, {
      due,
      now,
      until,
      most: Math.min(PAGE, most - done),
    });
    found = turns.length + passed;
    done += passed;
    const left = await takeAll(collecting, turns, () => {
      done += 1;
      run.progress(done, Math.max(done, total));
    });
    await giveBack(db, left, clock.now());
  }
  if (client.stopped === undefined) return;
  if (collecting.failed || run.signal.aborted) {
    throw new Error(`the history of ${kept.history} was kept for ${done} of ${total}: ${client.stopped}`);
  }
  log.warn(
    { job: run.job, run_id: run.id, done, total, reason: client.stopped },
    'the provider failed: the next run continues with the other characters',
  );
}

/** Ends the run as failed. */
function fail(collecting: Collecting, why: string): void {
  collecting.failed = true;
  collecting.client.stop(why);
}

/** Performs all turns; returns those that were not begun, or were interrupted by the end of the run. */
async function takeAll(
  collecting: Collecting,
  turns: readonly Turn[],
  onDone: () => void,
): Promise<readonly Turn[]> {
  const { services, client } = collecting;
  const left: Turn[] = [];
  const take = async (turn: Turn) => {
    const over =
      client.stopped === undefined &&
      (await takeTurn(collecting, turn).catch((error: unknown) => {
        services.log.error({ err: error }, 'the state of a history could not be written');
        fail(collecting, 'the database failed');
        return false;
      }));
    if (over) onDone();
    else left.push(turn);
  };
  await pMap(turns, take, { concurrency: BOUNDS.concurrency });
  return left;
}

/** False when the run ended meanwhile. Throws when the database fails. */
async function takeTurn(collecting: Collecting, turn: Turn): Promise<boolean> {
  const { services, run, kept, structures, texts, oneAtATime } = collecting;
  const { db, clock, log } = services;
  const client = collecting.client.unit();
  try {
    const { find } = createNames({ db, client, clock });
    const names: Names = { find: (...given) => oneAtATime(() => find(...given)) };
    await TAKE[kept.history]({ db, client, clock, names, structures, texts }, turn);
    collecting.refusals = 0;
  } catch (error) {
    if (error instanceof RunEnded || error === run.signal.reason) return false;
    if (isUnreachable(error)) throw error;
    if (error instanceof ProviderError && error.fault === 'no-token') {
      // The refresh token is dead: once that was checked, the next best one is used, or none (D34b).
      const pause = Math.max(pauseAfter(turn, error), CHECKED_WITHIN);
      await putOff(db, turn, new Date(clock.now().getTime() + pause));
      return true;
    }
    const { characterId: character_id, failures } = turn;
    log.warn(
      { err: error, character_id, history: kept.history, failures },
      'an entry of a history could not be stored',
    );
    if (!client.failed) refused(collecting);
    await putOff(db, turn, new Date(clock.now().getTime() + pauseAfter(turn, client.fault ?? error)));
  }
  return true;
}

function refused(collecting: Collecting): void {
  collecting.refusals += 1;
  if (collecting.refusals >= REFUSALS) fail(collecting, `${REFUSALS} characters in a row were refused`);
}

/** Backoff in milliseconds. What never comes must not delay what arrives. */
function pauseAfter({ failures, rhythm }: Turn, failure: unknown): number {
  const longest = failure instanceof PartsMissing ? rhythm.seconds * 1000 : LONGEST_PAUSE;
  const asked = failure instanceof ProviderError ? (failure.retryAfter ?? 0) : 0;
  return Math.max(Math.min(AGAIN_AFTER * 2 ** failures, longest), asked * 1000);
}
