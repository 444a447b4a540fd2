import type { ExtScope } from '../../contract/scopes.ts';
import type { HistoryTurnTable } from '../database/tables.ts';

export type HistoryName = HistoryTurnTable['history'];

/** The schedule of a history: its interval in seconds, and the scopes that a grant must have. */
export interface Rhythm {
  readonly history: HistoryName;
  readonly seconds: number;
  readonly scopes: readonly ExtScope[];
}

const HOUR = 3600;

/**
 * All histories. Another one needs an entry here, a migration for its table and for the list of histories in
 * history_turns, an operation in contract/history.ts, and what the compiler then reports.
 */
export const KINDS = {
  location: {
    history: 'location',
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
    seconds: HOUR,
    scopes: ['ext-mail.read_mail.v1'],
    // A mailbox is not a series of snapshots: its tables are in mail.queries.ts.
    snapshots: undefined,
  },
  skillpoints: {
    history: 'skillpoints',
    seconds: 12 * HOUR,
    scopes: ['ext-skills.read_skills.v1'],
    snapshots: 'character_skill_points',
  },
  wallet: {
    history: 'wallet',
    seconds: 12 * HOUR,
    scopes: ['ext-wallet.read_character_wallet.v1'],
    snapshots: 'character_wallets',
  },
} as const satisfies { readonly [Name in HistoryName]: HistoryRow<Name> };

interface HistoryRow<Name extends HistoryName> extends Rhythm {
  readonly history: Name;
  /** The table of its snapshots, partitioned by week. */
  readonly snapshots: string | undefined;
}

export const RHYTHMS: readonly Rhythm[] = Object.values(KINDS);

export type SnapshotTable = NonNullable<(typeof KINDS)[HistoryName]['snapshots']>;

/** All tables of snapshots, each partitioned by week. */
export const SNAPSHOT_TABLES: readonly SnapshotTable[] = Object.values(KINDS).flatMap(
  ({ snapshots }) => snapshots ?? [],
);
