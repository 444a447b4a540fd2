import type { Corporation, PutCorporation } from '../../contract/corporation.ts';
import { type Admission, readmit, rejudge } from '../access/admission.ts';
import { inLineOfCaller } from '../access/lines.ts';
import { inTransaction } from '../database/transaction.ts';
import { recordEvents, valueChanges } from '../event/record.ts';
import { createGameApi } from '../provider/api.ts';
import { chargedTo } from '../provider/client.ts';
import { readRevision } from '../registry/organizations.queries.ts';
import { placeCeos } from '../registry/place-ceos.ts';
import { fetchCorporation } from '../registry/provider-snapshot.ts';
import { saveSnapshot } from '../registry/save-snapshot.ts';
import type { Services } from '../services/services.ts';
import { endUnwelcome } from '../session/end-sessions.ts';
import { notFound } from '../shared/domain-error.ts';
import {
  type CorporationRow,
  findCorporationRow,
  lockCorporation,
  setCorporationScopes,
} from './corporation.queries.ts';

function toCorporation(found: CorporationRow): Corporation {
  const { alliance_id, alliance_name, ceo_id, ceo_name, ...row } = found;
  return {
    ...row,
    alliance: alliance_id === null || alliance_name === null ? null : { alliance_id, alliance_name },
    ceo: { character_id: ceo_id, character_name: ceo_name },
    updated_on: row.updated_on.toISOString(),
  };
}

/** A registered corporation; 404 for any other. */
export async function getCorporation(
  { db }: Pick<Services, 'db'>,
  corporationId: number,
): Promise<Corporation> {
  const row = await findCorporationRow(db, corporationId);
  if (row === undefined) throw notFound('corporation', corporationId);
  return toCorporation(row);
}

/**
 * Registers or refreshes a corporation with its CEO and its alliance (D39). 404 when the provider does not know it, it
 * has no CEO, or it belongs to the game. Errors at the provider are charged to the caller's budget (D33b).
 */
export async function registerCorporation(
  services: Pick<Services, 'db' | 'lines' | 'client' | 'clock' | 'queue'>,
  admission: Admission,
  corporationId: number,
): Promise<Corporation> {
  const { db, lines, client, clock } = services;
  const api = createGameApi(chargedTo(admission.caller, client));
  const askedAt = await readRevision(db);
  const fetched = await fetchCorporation(api, corporationId);
  const snapshot = fetched && (await placeCeos(db, api, fetched));
  // Checked again, because the request to the provider may have taken long; and by the transaction below.
  await rejudge(db, admission);
  if (snapshot === undefined) throw notFound('corporation', corporationId);
  return inLineOfCaller(lines, admission, () =>
    inTransaction(db, async (tx) => {
      const affected = await saveSnapshot(tx, snapshot, clock.now(), { askedAt, admission });
      await endUnwelcome(services, tx, affected);
      return getCorporation({ db: tx }, corporationId);
    }),
  );
}

/** Sets the scopes that the corporation requires of its members; null or absent changes nothing (D3). */
export async function updateCorporation(
  { db, clock, touches }: Pick<Services, 'db' | 'clock' | 'touches'>,
  admission: Admission,
  corporationId: number,
  { mandatory_ext_scopes: scopes }: PutCorporation,
): Promise<Corporation> {
  return inTransaction(db, async (tx) => {
    const before = await lockCorporation(tx, corporationId);
    await readmit(tx, admission);
    await touches(tx, { corporations: [corporationId] });
    if (scopes != null && before !== undefined) {
      const mandatory_ext_scopes = [...new Set(scopes)].sort();
      await setCorporationScopes(tx, corporationId, mandatory_ext_scopes, clock.now());
      const targets = [
        { type: 'corporation' as const, id: String(corporationId), name: before.corporation_name },
      ];
      const changes = valueChanges(before, { mandatory_ext_scopes }, ['mandatory_ext_scopes']);
      if (changes.length > 0)
        await recordEvents(tx, [{ type: 'corporation.updated', targets, changes }], clock.now());
    }
    return getCorporation({ db: tx }, corporationId);
  });
}
