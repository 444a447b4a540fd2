import { boundedName } from '../database/bounded.ts';
import { nameKey } from '../database/name-key.ts';
import { inTransaction } from '../database/transaction.ts';
import { type NewEvent, recordEvents, userTarget } from '../event/record.ts';
import { askNames, BULK, namesCharacter } from '../provider/api.ts';
import type { ProviderError } from '../provider/http.ts';
import { findNames } from '../provider/names.queries.ts';
import type { Change, Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import { createRegistryClient } from './ask-all.ts';
import { type NewCeoName, type NewName, readNames, saveNewNames } from './follow-names.queries.ts';
import { markRefused } from './name-strangers.ts';
import { countUsers, readCursor, saveCursor } from './sync-users.queries.ts';

/**
 * Milliseconds for which an id that the provider refuses to name is not asked for again: several runs, as one finds only
 * some of them before its errors are used up, and the next one has to get further.
 */
const RESTS_FOR = 7 * 24 * 3_600_000;

/**
 * Updates the names of users and of CEOs that are not users (D38), in requests of 1,000. A new name takes no right
 * away, so each page is committed by itself; when the provider fails, the next run continues after the last page.
 */
export async function followNames(
  { db, client, clock, log }: Pick<Services, 'db' | 'client' | 'clock' | 'log'>,
  run: Run,
): Promise<readonly Change[]> {
  const registryClient = createRegistryClient(client, run);
  const startedOn = clock.now();
  const unnamedSince = new Date(startedOn.getTime() - RESTS_FOR);
  const total = await countUsers(db, startedOn);
  const first = await readCursor(db, run.job);
  const changes: Change[] = [];
  let after = first?.id ?? 0;
  let done = 0;
  let failure: ProviderError | undefined;
  for (;;) {
    run.signal.throwIfAborted();
    run.progress(done, total);
    const page = await readNames(db, after, unnamedSince, BULK);
    const last = page.at(-1);
    if (last === undefined) break;
    const stored = new Map(page.map((row) => [row.id, row]));
    const answers = await askNames(registryClient, [...stored.keys()]);
    failure = answers.failure;
    const renamed = answers.found.filter(namesCharacter).flatMap(({ id, name: foreign }) => {
      const name = boundedName(foreign);
      const known = stored.get(id);
      const isNew = known !== undefined && name !== known.name;
      return isNew ? [{ ...known, name, former: known.name, name_key: nameKey(name) }] : [];
    });
    changes.push(...renamed.map(({ id, name, former }) => ({ character_id: id, name: [former, name] })));
    if (!run.dryRun) {
      await inTransaction(db, async (tx) => {
        const { users, corporations } = await saveNewNames(tx, renamed, clock.now());
        await recordEvents(tx, [...users.map(renaming), ...corporations.map(renamingOfCeo)], clock.now());
      });
      await markRefused(db, answers, clock.now());
    }
    if (failure !== undefined) {
      // A page of which no id is left out from now on is passed over: the next run would get no further with it. One
      // that was not answered at all has a second run, because that is mostly an outage.
      const known = await findNames(db, answers.refused, clock.now());
      const former = [...known.values()].filter(({ fresh }) => fresh);
      const isPastHelp = former.length > 0 ? former.every(({ name }) => name !== null) : after === first?.id;
      if (isPastHelp) after = last.id;
      break;
    }
    done += page.length;
    after = last.id;
  }
  // What an outage left out would look like unchanged. Too many ids that the game does not know are none.
  if (run.dryRun && failure !== undefined && failure.fault !== 'exhausted') throw failure;
  if (failure !== undefined) {
    log.warn(
      { err: failure, job: run.job, run_id: run.id, done, total },
      'the provider failed: the next run continues with the other names',
    );
  }
  if (!run.dryRun) await saveCursor(db, run.job, failure && { key: '', id: after });
  return changes;
}

function renamingOfCeo({ corporation_id, corporation_name, name, former }: NewCeoName): NewEvent {
  const targets = [{ type: 'corporation' as const, id: String(corporation_id), name: corporation_name }];
  const changes = [{ field: 'ceo_name', before: former, after: name }];
  return { type: 'corporation.ceo_changed', targets, changes };
}

function renaming({ id, name, former }: Pick<NewName, 'id' | 'name' | 'former'>): NewEvent {
  const changes = [{ field: 'character_name', before: former, after: name }];
  return { type: 'user.renamed', targets: [userTarget(id, name)], changes };
}
