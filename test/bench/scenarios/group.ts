import { contract } from '../../../contract/index.ts';
import { type Caller, findCaller } from '../../../server/access/caller.queries.ts';
import { BUILT_IN_USER } from '../../../server/access/clearance-levels.ts';
import { createLines } from '../../../server/access/lines.ts';
import { withField } from '../../../server/database/json-text.ts';
import { eventIds } from '../../../server/event/event-id.ts';
import { findGroup, type GroupRow } from '../../../server/group/group.queries.ts';
import { updateGroup } from '../../../server/group/group.ts';
import type { Services } from '../../../server/services/services.ts';
import { systemClock } from '../../../server/shared/clock.ts';
import { unasked } from '../../../server/standing/rehearse.ts';
import { findRootToken } from '../../../server/token/token.queries.ts';
import { only, type Scenario } from '../scenario.ts';
import { AUTOGROUP, GROUP_MEMBERS, GROUPS, group, PEOPLE } from '../world.ts';

const PREFIX = '/group/';

function toGroup([row]: readonly GroupRow[]): string {
  if (row === undefined) throw new Error('the group is not there');
  const { members, ...fields } = row;
  return withField(fields, 'members', members);
}

/** The alliance's: its members are derived from the registry. */
export const autogroup: Scenario = {
  name: 'GET /group/{id} of 10,000',
  path: () => `${PREFIX}${AUTOGROUP}`,
  users: PEOPLE,
  other: {
    is: 'bare',
    async answer(record) {
      const statement = only(await record((db) => findGroup(db, AUTOGROUP)));
      return async ({ run }) => toGroup(await run<GroupRow>(statement));
    },
  },
};

export const smallGroup: Scenario = {
  name: 'GET /group/{id} of 50',
  path: (n) => `${PREFIX}${group(n % GROUPS)}`,
  users: GROUP_MEMBERS,
  other: {
    is: 'bare',
    async answer(record) {
      const statement = only(await record((db) => findGroup(db, group(0))));
      return async ({ run }, path) => toGroup(await run<GroupRow>(statement, [path.slice(PREFIX.length)]));
    },
  },
};

/** Each event that is recorded needs an id of its own. */
const EVENT_ID = /^\[\{[^{]*"event_id":"([^"]+)"/;

const descriptionOf = (n: number) => `Description number ${n}`;

/** By an application on many groups: a person's writes queue at that person's row, those of one group at the group's. */
export const updatedGroup: Scenario = {
  name: 'PUT /group/{id}',
  method: 'PUT',
  by: 'application',
  path: (n) => `${PREFIX}${group(n % GROUPS)}`,
  body: (n) => JSON.stringify({ description: descriptionOf(n) }),
  changes: ['updated_on'],
  other: {
    is: 'bare',
    async answer(record) {
      let caller: Caller | undefined;
      const [, authentication] = await record(async (db) => {
        const application = await findRootToken(db, BUILT_IN_USER);
        caller = application && (await findCaller(db, application.uuid));
      });
      const statements = await record(async (db) => {
        if (caller === undefined) throw new Error('the application is not there');
        const rule = contract.group.update.metadata.access;
        const body = { description: descriptionOf(-1) };
        const admission = { caller, rule, params: { group_id: group(0) }, body, clock: systemClock };
        // Nobody comes or goes, so nobody is told of the end of a session.
        const queue = {} as Services['queue'];
        const services = { db, lines: createLines(db), clock: systemClock, queue, touches: unasked };
        await updateGroup(services, admission, group(0), body);
      });
      const texts = statements.flatMap(({ values }) => values).filter((value) => typeof value === 'string');
      const recorded = texts.map((text) => EVENT_ID.exec(text)?.[1]).find((id) => id !== undefined);
      if (recorded === undefined) throw new Error('no event is recorded');
      return async ({ run, within }, path, body) => {
        const { description } = JSON.parse(body) as { description: string };
        const id = path.slice(PREFIX.length);
        const [eventId = ''] = eventIds(1, new Date());
        const filled = (values: readonly unknown[]) =>
          values.map((value) =>
            typeof value === 'string'
              ? value
                  .replaceAll(group(0), id)
                  .replaceAll(descriptionOf(-1), description)
                  .replaceAll(recorded, eventId)
              : value,
          );
        if (authentication !== undefined) await run(authentication);
        const answers = await within(async (runWithin) => {
          const rows: unknown[][] = [];
          for (const each of statements) rows.push(await runWithin(each, filled(each.values)));
          return rows;
        });
        return toGroup(answers.at(-1) as GroupRow[]);
      };
    },
  },
};
