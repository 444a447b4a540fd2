import { query } from './pair.ts';

/** Those of the groups whose creation was acknowledged that the database does not have. */
export async function lost(databaseUrl: string, created: readonly string[]): Promise<string[]> {
  const stored = new Set(
    (await query(databaseUrl, 'select group_name from groups')).map((row) => row.group_name),
  );
  return created.filter((name) => !stored.has(name));
}
