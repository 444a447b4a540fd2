import type { Kysely } from 'kysely';
import type { Tracking } from '../../../contract/user.ts';
import { findCaller } from '../../../server/access/caller.queries.ts';
import { findPositions } from '../../../server/access/position.queries.ts';
import type { Database } from '../../../server/database/tables.ts';
import { findTracking, type TrackedOrganization } from '../../../server/grant/tracking.queries.ts';
import type { Scenario } from '../scenario.ts';
import { ALLIANCE, CHARACTERS, COALITION, character, corporation, PEOPLE, TOKEN } from '../world.ts';

const ASKER = { owner_id: character(0), sponsor_id: null };

interface Row {
  readonly character_id: number;
  readonly character_name: string;
  readonly covered: boolean | null;
}

interface Tracked {
  readonly path: string;
  readonly users: number;
  readonly of: TrackedOrganization;
  /** What is asked before the members are. */
  readonly before: (db: Kysely<Database>) => Promise<unknown>;
}

function tracking(name: string, { path, users, of, before }: Tracked): Scenario {
  return {
    name,
    path: () => path,
    users,
    other: {
      is: 'bare',
      async answer(record) {
        const authentication = await record((db) => findCaller(db, TOKEN));
        const admission = await record(before);
        const members = await record((db) => findTracking(db, of));
        return async (run) => {
          await run(authentication);
          await run(admission);
          return sorted(await run<Row>(members));
        };
      },
    },
  };
}

function sorted(rows: readonly Row[]): Tracking {
  const lists: Tracking = { valid_refresh_token: [], invalid_refresh_token: [], no_refresh_token: [] };
  for (const { character_id, character_name, covered } of rows) {
    const list =
      covered === null ? 'no_refresh_token' : covered ? 'valid_refresh_token' : 'invalid_refresh_token';
    lists[list].push({ character_id, character_name });
  }
  return lists;
}

export const corporationTracking = tracking('GET /corporation/{id}/tracking', {
  path: `/corporation/${corporation(0)}/tracking`,
  users: CHARACTERS,
  of: { corporation_id: corporation(0) },
  before: (db) => findPositions(db, ASKER, 'corporation', corporation(0)),
});

export const allianceTracking = tracking('GET /alliance/{id}/tracking', {
  path: `/alliance/${ALLIANCE}/tracking`,
  users: PEOPLE,
  of: { alliance_id: ALLIANCE },
  before: (db) => findPositions(db, ASKER, 'alliance', ALLIANCE),
});

export const coalitionTracking = tracking('GET /coalition/{id}/tracking', {
  path: `/coalition/${COALITION}/tracking`,
  users: PEOPLE,
  of: { coalition_id: COALITION },
  before: (db) => findPositions(db, ASKER, 'coalition', COALITION),
});
