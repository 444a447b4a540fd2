import type { Alliance, PutAlliance } from '../../contract/alliance.ts';
import { type Admission, readmit, rejudge } from '../access/admission.ts';
import { inLineOfCaller } from '../access/lines.ts';
import { inTransaction } from '../database/transaction.ts';
import { recordEvents, valueChanges } from '../event/record.ts';
import { createGameApi } from '../provider/api.ts';
import { chargedTo, chargedToJobs } from '../provider/client.ts';
import { ProviderError } from '../provider/http.ts';
import { readRevision } from '../registry/organizations.queries.ts';
import { placeCeos } from '../registry/place-ceos.ts';
import { fetchAlliance, fetchMembers } from '../registry/provider-snapshot.ts';
import { saveSnapshot } from '../registry/save-snapshot.ts';
import type { Services } from '../services/services.ts';
import { endUnwelcome } from '../session/end-sessions.ts';
import { notFound } from '../shared/domain-error.ts';
import {
  type AllianceRow,
  findAllianceRow,
  lockAlliance,
  setAllianceScopes,
  withoutRegistered,
} from './alliance.queries.ts';

function toAlliance({ executor_id, executor_name, ceo_id, ceo_name, ...row }: AllianceRow): Alliance {
  return {
    ...row,
    ceo: { character_id: ceo_id, character_name: ceo_name },
    executor_corporation: { corporation_id: executor_id, corporation_name: executor_name },
    updated_on: row.updated_on.toISOString(),
  };
}

/** A registered alliance; 404 for any other. */
export async function getAlliance({ db }: Pick<Services, 'db'>, allianceId: number): Promise<Alliance> {
  const row = await findAllianceRow(db, allianceId);
  if (row === undefined) throw notFound('alliance', allianceId);
  return toAlliance(row);
}

/**
 * Registers or refreshes an alliance with its executor and the executor's CEO; a job enqueued in the same transaction
 * registers its other corporations (D39). 404 when the provider does not know it, or it has no executor. Errors at the
 * provider are charged to the caller's budget (D33b).
 */
export async function registerAlliance(
  services: Pick<Services, 'db' | 'lines' | 'client' | 'queue' | 'clock'>,
  admission: Admission,
  allianceId: number,
): Promise<Alliance> {
  const { db, lines, client, queue, clock } = services;
  const api = createGameApi(chargedTo(admission.caller, client));
  const askedAt = await readRevision(db);
  const fetched = await fetchAlliance(api, allianceId);
  const snapshot = fetched && (await placeCeos(db, api, fetched));
  // Checked again, because the request to the provider may have taken long; and by the transaction below.
  await rejudge(db, admission);
  if (snapshot === undefined) throw notFound('alliance', allianceId);
  return inLineOfCaller(lines, admission, () =>
    inTransaction(db, async (tx) => {
      const affected = await saveSnapshot(tx, snapshot, clock.now(), { askedAt, admission });
      await endUnwelcome(services, tx, affected);
      await queue.send(tx, 'register-alliance-members', { alliance_id: allianceId });
      return getAlliance({ db: tx }, allianceId);
    }),
  );
}

/**
 * Registers the corporations of a registered alliance that are not registered yet. The members of others may lose
 * something by the move: these are left to the sync, and so to the mass-change guard (D19, D63). Stores what the provider
 * answered even if it failed for some of them, then throws, so that the job is retried for those.
 */
export async function registerMembers(
  services: Pick<Services, 'db' | 'client' | 'clock' | 'queue'>,
  allianceId: number,
): Promise<void> {
  const { db, client, clock } = services;
  const api = createGameApi(chargedToJobs(client));
  const askedAt = await readRevision(db);
  const members = await api.allianceCorporations(allianceId);
  const missing = await withoutRegistered(db, members);
  const { snapshot: fetched, failed } = await fetchMembers(api, allianceId, missing);
  const snapshot = await placeCeos(db, api, fetched);
  await inTransaction(db, async (tx) => {
    const affected = await saveSnapshot(tx, snapshot, clock.now(), { askedAt });
    await endUnwelcome(services, tx, affected);
  });
  if (failed.length > 0) {
    throw new ProviderError(
      'unusable',
      `${failed.length} corporations of alliance ${allianceId} are missing`,
    );
  }
}

/** Sets the scopes that the alliance requires of its members; null or absent changes nothing (D3). */
export async function updateAlliance(
  { db, clock, touches }: Pick<Services, 'db' | 'clock' | 'touches'>,
  admission: Admission,
  allianceId: number,
  { mandatory_ext_scopes: scopes }: PutAlliance,
): Promise<Alliance> {
  return inTransaction(db, async (tx) => {
    const before = await lockAlliance(tx, allianceId);
    await readmit(tx, admission);
    await touches(tx, { alliances: [allianceId] });
    if (scopes != null && before !== undefined) {
      const mandatory_ext_scopes = [...new Set(scopes)].sort();
      await setAllianceScopes(tx, allianceId, mandatory_ext_scopes, clock.now());
      const targets = [{ type: 'alliance' as const, id: String(allianceId), name: before.alliance_name }];
      const changes = valueChanges(before, { mandatory_ext_scopes }, ['mandatory_ext_scopes']);
      if (changes.length > 0)
        await recordEvents(tx, [{ type: 'alliance.updated', targets, changes }], clock.now());
    }
    return getAlliance({ db: tx }, allianceId);
  });
}
