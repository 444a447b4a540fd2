import type { ExtScope } from '../../contract/scopes.ts';
import type { HistoryTurnTable } from '../database/tables.ts';
import type { JobName } from '../queue/job-catalogue.ts';

export type HistoryName = HistoryTurnTable['history'];

/** The schedule of a history: its interval in seconds, and the scopes that a grant must have. */
export interface Rhythm {
  readonly history: HistoryName;
  readonly seconds: number;
  readonly scopes: readonly ExtScope[];
}

const HOUR = 3600;

/**
 * All histories. Another one needs an operation in contract/history.ts, a migration for its table and for the list of
 * histories in history_turns, the same in database/tables.ts, and a job of its own in queue/job-catalogue.ts, with its
 * dry run in jobs/handlers.ts. The compiler then asks for its entry here, for how a turn is taken in collect.ts, for the
 * handler of its job in jobs/handlers.ts, and for its operation in history.routes.ts.
 */
export const KINDS = {
  location: {
    history: 'location',
    job: 'collect-locations',
    seconds: HOUR,
    scopes: [
      'ext-location.read_location.v1',
      'ext-location.read_online.v1',
      'ext-location.read_ship_type.v1',
    ],
    snapshots: 'character_locations',
  },
  mail: {
    history: 'mail',
    job: 'collect-mail',
    seconds: HOUR,
    scopes: ['ext-mail.read_mail.v1'],
    // A mailbox is not a series of snapshots: its tables are in mail.queries.ts.
    snapshots: undefined,
  },
  skillpoints: {
    history: 'skillpoints',
    job: 'collect-skill-points',
    seconds: 12 * HOUR,
    scopes: ['ext-skills.read_skills.v1'],
    snapshots: 'character_skill_points',
  },
  wallet: {
    history: 'wallet',
    job: 'collect-wallets',
    seconds: 12 * HOUR,
    scopes: ['ext-wallet.read_character_wallet.v1'],
    snapshots: 'character_wallets',
  },
} as const satisfies { readonly [Name in HistoryName]: HistoryRow<Name> };

interface HistoryRow<Name extends HistoryName> extends Rhythm {
  readonly history: Name;
  /** The job that collects it. */
  readonly job: Extract<JobName, `collect-${string}`>;
  /** The table of its snapshots, partitioned by week. */
  readonly snapshots: string | undefined;
}

/** The jobs that collect a history. */
export type CollectingJob = (typeof KINDS)[HistoryName]['job'];

export const RHYTHMS: readonly Rhythm[] = Object.values(KINDS);

export type SnapshotTable = NonNullable<(typeof KINDS)[HistoryName]['snapshots']>;

/** All tables of snapshots, each partitioned by week. */
export const SNAPSHOT_TABLES: readonly SnapshotTable[] = Object.values(KINDS).flatMap(
  ({ snapshots }) => snapshots ?? [],
);
