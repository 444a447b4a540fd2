import { inTransactionIfKept } from '../database/transaction.ts';
import { userTarget } from '../event/record.ts';
import { guardMassChange, storeRefusal } from '../guard/mass-change-guard.ts';
import { applyJudgement } from '../policy/apply-judgement.ts';
import { type Departure, judgeMembers, lockJudged } from '../policy/judge.queries.ts';
import { endApplications } from '../policy/pending.queries.ts';
import type { Change, Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import { changedStandings, LOGIN, recordStandings } from '../standing/standing-events.ts';

/**
 * Judges members and applicants of all groups by their policies and their present memberships (D110, D111): members who
 * are no longer eligible are removed after the policy's grace, and applications end that have expired or whose
 * applicant can no longer join. A run that would remove too many changes nothing (D63). Removals that follow from a
 * policy set later than the loss of eligibility do not count for that: otherwise one owner's policy could hold up all
 * groups.
 */
export async function judgeMemberships(
  services: Pick<Services, 'db' | 'clock' | 'log' | 'metrics' | 'queue'>,
  run: Run,
): Promise<readonly Change[]> {
  const now = services.clock.now();
  const { changes, refusal } = await inTransactionIfKept(services.db, async (tx) => {
    await lockJudged(tx);
    const { judged, departures, standings } = await judgeMembers(tx, now);
    const ended = await endApplications(tx, now);
    const changes = [
      ...departures.map(leaving),
      ...ended.map(({ application_id, state }) => ({ application_id, state })),
    ];
    const unintended = departures.filter(({ wanted }) => !wanted);
    const losses = {
      lookedAt: judged,
      losses: unintended.map(({ character_id, group_id }) => [character_id, group_id] as const),
      details: () =>
        unintended.map(({ group_id, group_name, character_id }) => ({
          target: userTarget(character_id),
          changes: [{ field: 'group', before: `${group_name} (${group_id})`, after: null }],
        })),
      healthy: true,
    };
    const refusal = await guardMassChange(tx, services, run, losses);
    const result = { changes, refusal };
    if (run.dryRun || refusal !== undefined) return { result, kept: false };
    await applyJudgement(services, tx, { departures, ended }, now);
    // Who stays gains and loses nothing here: a login that changes meanwhile is told by whoever changes it (D91).
    await recordStandings(tx, await changedStandings(tx, standings, {}, LOGIN), now);
    return { result, kept: true };
  });
  await storeRefusal(services, refusal);
  return changes;
}

function leaving({ group_id, character_id }: Departure): Change {
  return { group_id, character_id, left: true };
}
