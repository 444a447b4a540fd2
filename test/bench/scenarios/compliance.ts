import { type FoundRow, findCompliance, foundIn } from '../../../server/compliance/compliance.queries.ts';
import { toCompliance } from '../../../server/compliance/compliance.ts';
import { MEMBERSHIP_SCOPE } from '../../../server/provider/api.ts';
import { only, type Scenario } from '../scenario.ts';
import { COALITION, PEOPLE } from '../world.ts';

export const compliance: Scenario = {
  name: 'GET /coalition/{id}/compliance',
  path: () => `/coalition/${COALITION}/compliance`,
  users: PEOPLE,
  changes: ['as_of'],
  slow: true,
  other: {
    is: 'bare',
    async answer(record) {
      const of = { coalition_id: COALITION };
      const statement = only(await record((db) => findCompliance(db, of, MEMBERSHIP_SCOPE, new Date())));
      return async ({ run }) => {
        const found = foundIn(await run<FoundRow>(statement));
        const visible = new Set(found.members.map(({ character_id }) => character_id));
        return toCompliance(found, visible, new Date());
      };
    },
  },
};
