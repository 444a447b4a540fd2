import { inTransaction } from '../database/transaction.ts';
import { userTarget } from '../event/record.ts';
import { guardMassChange } from '../guard/mass-change-guard.ts';
import { carryOut } from '../policy/carry-out.ts';
import { type Departure, findSpeakingGroups, judgeMembers } from '../policy/judge.queries.ts';
import { endApplications } from '../policy/pending.queries.ts';
import type { Change, Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import { readStandings } from '../standing/told.queries.ts';
import { changedStandings, recordStandings } from '../standing/told.ts';

/** Thrown to undo what was only tried, or was too much. */
class Undone extends Error {
  readonly changes: readonly Change[];
  constructor(changes: readonly Change[]) {
    super('undone');
    this.changes = changes;
  }
}

/**
 * Judges members and applicants of all groups by their policies, as the registry has them now (D110, D111): who is no
 * longer eligible leaves when its grace is over, applications that had their time or lost their sense end. A run that
 * would take too many out changes nothing (D63); those count for whom nobody set a policy since, or an owner could hold
 * up everybody's by policies of his own.
 */
export async function judgeMemberships(
  services: Pick<Services, 'db' | 'clock' | 'log' | 'metrics' | 'queue'>,
  run: Run,
): Promise<readonly Change[]> {
  const now = services.clock.now();
  try {
    return await inTransaction(services.db, async (tx) => {
      const standings = await readStandings(tx, { groups: await findSpeakingGroups(tx) });
      const { judged, departures } = await judgeMembers(tx, now);
      const ended = await endApplications(tx, now);
      const changes = [
        ...departures.map(leaving),
        ...ended.map(({ application_id, state }) => ({ application_id, state })),
      ];
      const befallen = departures.filter(({ wanted }) => !wanted);
      const losses = {
        lookedAt: judged,
        losers: [...new Set(befallen.map(({ character_id }) => character_id))],
        changes: JSON.stringify(befallen.map(leaving)),
        details: () =>
          befallen.map(({ group_id, group_name, character_id }) => ({
            target: userTarget(character_id),
            changes: [{ field: 'group', before: `${group_name} (${group_id})`, after: null }],
          })),
        healthy: true,
      };
      if (run.dryRun || !(await guardMassChange(tx, services, run, losses))) throw new Undone(changes);
      await carryOut(services, tx, { departures, ended }, now);
      await recordStandings(tx, await changedStandings(tx, standings), now);
      return changes;
    });
  } catch (error) {
    if (error instanceof Undone) return error.changes;
    throw error;
  }
}

function leaving({ group_id, character_id }: Departure): Change {
  return { group_id, character_id, left: true };
}
