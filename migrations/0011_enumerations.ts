import { type Kysely, sql } from 'kysely';

/** Our spelling of the provider's scopes as of this migration; a later one replaces the function. */
const SCOPES = [
  'esi.activity.char:read',
  'esi.cosmetic.char:read',
  'ext-access.read_lists.v1',
  'ext-activities.read_character.v1',
  'ext-alliances.read_contacts.v1',
  'ext-assets.read_assets.v1',
  'ext-assets.read_corporation_assets.v1',
  'ext-calendar.read_calendar_events.v1',
  'ext-calendar.respond_calendar_events.v1',
  'ext-characters.read_agents_research.v1',
  'ext-characters.read_blueprints.v1',
  'ext-characters.read_contacts.v1',
  'ext-characters.read_corporation_roles.v1',
  'ext-characters.read_fatigue.v1',
  'ext-characters.read_freelance_jobs.v1',
  'ext-characters.read_fw_stats.v1',
  'ext-characters.read_loyalty.v1',
  'ext-characters.read_medals.v1',
  'ext-characters.read_notifications.v1',
  'ext-characters.read_standings.v1',
  'ext-characters.read_titles.v1',
  'ext-characters.write_contacts.v1',
  'ext-clones.read_clones.v1',
  'ext-clones.read_implants.v1',
  'ext-contracts.read_character_contracts.v1',
  'ext-contracts.read_corporation_contracts.v1',
  'ext-corporations.read_blueprints.v1',
  'ext-corporations.read_contacts.v1',
  'ext-corporations.read_container_logs.v1',
  'ext-corporations.read_corporation_membership.v1',
  'ext-corporations.read_divisions.v1',
  'ext-corporations.read_facilities.v1',
  'ext-corporations.read_freelance_jobs.v1',
  'ext-corporations.read_fw_stats.v1',
  'ext-corporations.read_medals.v1',
  'ext-corporations.read_projects.v1',
  'ext-corporations.read_standings.v1',
  'ext-corporations.read_starbases.v1',
  'ext-corporations.read_structures.v1',
  'ext-corporations.read_titles.v1',
  'ext-corporations.track_members.v1',
  'ext-fittings.read_fittings.v1',
  'ext-fittings.write_fittings.v1',
  'ext-fleets.read_fleet.v1',
  'ext-fleets.write_fleet.v1',
  'ext-industry.read_character_jobs.v1',
  'ext-industry.read_character_mining.v1',
  'ext-industry.read_corporation_jobs.v1',
  'ext-industry.read_corporation_mining.v1',
  'ext-killmails.read_corporation_killmails.v1',
  'ext-killmails.read_killmails.v1',
  'ext-location.read_location.v1',
  'ext-location.read_online.v1',
  'ext-location.read_ship_type.v1',
  'ext-mail.organize_mail.v1',
  'ext-mail.read_mail.v1',
  'ext-mail.send_mail.v1',
  'ext-markets.read_character_orders.v1',
  'ext-markets.read_corporation_orders.v1',
  'ext-markets.structure_markets.v1',
  'ext-planets.manage_planets.v1',
  'ext-planets.read_customs_offices.v1',
  'ext-search.search_structures.v1',
  'ext-skills.read_skillqueue.v1',
  'ext-skills.read_skills.v1',
  'ext-structures.read_character.v1',
  'ext-structures.read_corporation.v1',
  'ext-ui.open_window.v1',
  'ext-ui.write_waypoint.v1',
  'ext-universe.read_structures.v1',
  'ext-wallet.read_character_wallet.v1',
  'ext-wallet.read_corporation_wallets.v1',
  'publicData',
];

const SCOPE_COLUMNS = [
  ['alliances', 'mandatory_ext_scopes'],
  ['corporations', 'mandatory_ext_scopes'],
  ['coalitions', 'mandatory_ext_scopes'],
  ['grants', 'scopes'],
] as const;

const NAMED_TABLES = [
  ['alliances', 'alliance_id', 'alliance_name'],
  ['corporations', 'corporation_id', 'corporation_name'],
  ['coalitions', 'coalition_id', 'coalition_name'],
  ['groups', 'group_id', 'group_name'],
  ['users', 'character_id', 'character_name'],
] as const;

export async function up(db: Kysely<unknown>): Promise<void> {
  await guardScopes(db);
  await keepDotlessApart(db);
}

/** The last enumeration that the code alone looked after. */
async function guardScopes(db: Kysely<unknown>): Promise<void> {
  await sql`create function ext_scopes() returns text[] language sql immutable parallel safe
    return ${sql.lit(`{${SCOPES.join()}}`)}::text[]`.execute(db);
  for (const [table, column] of SCOPE_COLUMNS) {
    await sql`alter table ${sql.table(table)}
      add constraint known_ext_scopes check (${sql.ref(column)} <@ ext_scopes())`.execute(db);
  }
}

/** Names with a dotless i were taken for the same names with a dotted one, which case folding keeps apart (D7). */
async function keepDotlessApart(db: Kysely<unknown>): Promise<void> {
  for (const [table, id, name] of NAMED_TABLES) {
    const { rows } = await sql<{ id: string; name: string }>`
      select ${sql.ref(id)}::text as id, ${sql.ref(name)} as name from ${sql.table(table)}
      where ${sql.ref(name)} like '%ı%'`.execute(db);
    const keys = rows.map((row) => ({ id: row.id, name_key: foldApart(row.name) }));
    await sql`
      update ${sql.table(table)} t set name_key = f.name_key
      from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as f(id text, name_key text)
      where t.${sql.ref(id)}::text = f.id`.execute(db);
  }
}

function foldApart(name: string): string {
  const parts = name.normalize('NFC').split('ı');
  return parts
    .map((part) => part.toLowerCase().toUpperCase().toLowerCase())
    .join('ı')
    .normalize('NFC');
}
