import { findTracking, type TrackedOrganization } from '../../../server/grant/tracking.queries.ts';
import { only, type Scenario } from '../scenario.ts';
import { ALLIANCE, CHARACTERS, COALITION, corporation, PEOPLE } from '../world.ts';

interface Tracked {
  readonly path: string;
  readonly users: number;
  readonly of: TrackedOrganization;
}

function tracking(name: string, { path, users, of }: Tracked): Scenario {
  return {
    name,
    path: () => path,
    users,
    other: {
      is: 'bare',
      async answer(record) {
        const members = only(await record((db) => findTracking(db, of)));
        return async ({ run }) => (await run<{ tracking: string }>(members))[0]?.tracking;
      },
    },
  };
}

export const corporationTracking = tracking('GET /corporation/{id}/tracking', {
  path: `/corporation/${corporation(0)}/tracking`,
  users: CHARACTERS,
  of: { corporation_id: corporation(0) },
});

export const allianceTracking = tracking('GET /alliance/{id}/tracking', {
  path: `/alliance/${ALLIANCE}/tracking`,
  users: PEOPLE,
  of: { alliance_id: ALLIANCE },
});

export const coalitionTracking = tracking('GET /coalition/{id}/tracking', {
  path: `/coalition/${COALITION}/tracking`,
  users: PEOPLE,
  of: { coalition_id: COALITION },
});
