/** The provider's permissions under our names (D37). */
import { z } from 'zod';
import { component, field, GROWS, MAX_LIST } from './common.ts';

/** The scope that everybody may request: the character's public record. */
export const PUBLIC_SCOPE = 'publicData';

/**
 * All scopes of the provider, sorted. `ext-` stands for the provider's own prefix and is converted in server/provider;
 * names without it are the same on both sides.
 */
export const EXT_SCOPES = [
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
] as const;

function unknownScope(code: z.ZodIssueCode, given: unknown): string {
  return code === 'invalid_enum_value' ? `Unknown scope "${given}"` : 'Must be the name of a scope';
}

export const ExtScope = component(
  // Zod's default message would list all scopes for each wrong element of a list.
  z.enum(EXT_SCOPES, { errorMap: ({ code }, { data }) => ({ message: unknownScope(code, data) }) }),
  'ExtScope',
  `A permission that a player grants at the provider, over the external data of one character. ${GROWS}pass over scopes that you do not know.`,
  'ext-location.read_location.v1',
);
export type ExtScope = z.infer<typeof ExtScope>;

/** The scopes that an organization requires, as an update sets them. */
export const MandatoryScopes = field(
  z.array(ExtScope).max(MAX_LIST).nullish(),
  'Replaces the required scopes, which are kept sorted and each once; null or absent leaves them as they are.',
);
