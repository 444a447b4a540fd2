/**
 * What a sign-in writes into the registry where 20 corporations are registered and where there are many more: it
 * should depend on what it touches alone.
 */
import { sql } from 'kysely';
import type { Connection } from '../../server/database/connection.ts';
import { inTransaction } from '../../server/database/transaction.ts';
import { ensureAutogroups } from '../../server/group/autogroup.queries.ts';
import type { ProviderSnapshot } from '../../server/registry/provider-snapshot.ts';
import { saveSnapshot } from '../../server/registry/save-snapshot.ts';
import { compare, createDatabase } from './scale.ts';

/** Corporations of one alliance, and the fewest. */
const ALLIED = 20;
const CHARACTERS = 50;
/** A prime: the corporations in no order of the table. */
const STRIDE = 7_919;

interface Registry extends Connection {
  readonly corporations: number;
}

/** Fills two databases on the server and returns the report; `corporations` is a multiple of {@link ALLIED}. */
export async function benchRegistry(serverUrl: string, corporations: number): Promise<string> {
  const few = await fill(serverUrl, 'few_corporations', ALLIED);
  const many = await fill(serverUrl, 'many_corporations', corporations);
  const lines = [
    await compare('what a sign-in finds', few, many, async ({ db, corporations: count }, n) => {
      await inTransaction(db, (tx) => saveSnapshot(tx, findings([(n * STRIDE) % count], 1), new Date()));
    }),
    await compare('of it, the autogroups', few, many, async ({ db, corporations: count }, n) => {
      await ensureAutogroups(db, { corporations: [corporation((n * STRIDE) % count)] }, new Date());
    }),
  ];
  await few.close();
  await many.close();
  return `${ALLIED} and ${corporations} corporations of ${CHARACTERS}: median ms, and their ratio\n${lines.join('\n')}\n`;
}

async function fill(serverUrl: string, name: string, corporations: number): Promise<Registry> {
  const connection = await createDatabase(serverUrl, name);
  const all = Array.from({ length: corporations }, (_, n) => n);
  await inTransaction(connection.db, (tx) => saveSnapshot(tx, findings(all, CHARACTERS), new Date()));
  // What autovacuum does in a service that has run for a while.
  await sql`vacuum analyze`.execute(connection.db);
  return { ...connection, corporations };
}

const corporation = (n: number) => 98_000_001 + n;
const alliance = (n: number) => 99_000_001 + Math.floor(n / ALLIED);
const character = (corporationNumber: number, n: number) =>
  2_100_000_001 + corporationNumber * CHARACTERS + n;

/** Some corporations, their alliances, and so many characters of each. */
function findings(corporations: readonly number[], characters: number): ProviderSnapshot {
  const executors = new Map(corporations.map((n) => [alliance(n), n - (n % ALLIED)]));
  return {
    alliances: [...executors].map(([id, executor]) => ({
      alliance_id: id,
      alliance_name: `Alliance ${id}`,
      ticker: 'ALLY',
      executor_corporation_id: corporation(executor),
    })),
    corporations: [...new Set([...executors.values(), ...corporations])].map((n) => ({
      corporation_id: corporation(n),
      corporation_name: `Corporation ${n}`,
      ticker: 'CORP',
      alliance_id: alliance(n),
      ceo_id: character(n, 0),
      ceo_name: `Pilot ${character(n, 0)}`,
    })),
    characters: corporations.flatMap((n) =>
      Array.from({ length: characters }, (_, each) => ({
        character_id: character(n, each),
        character_name: `Pilot ${character(n, each)}`,
        corporation_id: corporation(n),
      })),
    ),
  };
}
