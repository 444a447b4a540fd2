import type { ExtScope } from '../../contract/scopes.ts';
import type { HistoryTurnTable } from '../database/tables.ts';

export type HistoryName = HistoryTurnTable['history'];

/** How a history is kept by itself: every so many seconds, for whoever granted all these scopes. */
export interface Rhythm {
  readonly history: HistoryName;
  readonly seconds: number;
  readonly scopes: readonly ExtScope[];
}

const HOUR = 3600;

/**
 * Every history there is. A further one is a row here, a migration for its table and the list of histories in
 * history_turns, an operation in contract/history.ts, and what the compiler then asks for.
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
    // A mailbox is no row of moments: its tables are mail.queries.ts's own.
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
  /** The table of what a character was at a moment, partitioned by week. */
  readonly snapshots: string | undefined;
}

export const RHYTHMS: readonly Rhythm[] = Object.values(KINDS);

export type SnapshotTable = NonNullable<(typeof KINDS)[HistoryName]['snapshots']>;

/** The tables of histories that are rows of moments, each partitioned by week. */
export const SNAPSHOT_TABLES: readonly SnapshotTable[] = Object.values(KINDS).flatMap(
  ({ snapshots }) => snapshots ?? [],
);
