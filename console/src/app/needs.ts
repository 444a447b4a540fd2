/**
 * The queries that each screen renders first, so that they can start before the screen is rendered. They include no
 * operation that the service records as use of somebody's data, because hovering over a link starts them, too.
 */

import { queries } from '../session/api.ts';
import { BUILT_IN, hasAuthority, mayReach } from '../shared/authority.ts';
import { groupsOf, personOf } from '../shared/by-id.ts';
import { applicationsAs, eventsOf, usersOf, usesOf } from '../shared/known-listings.ts';
import {
  CHANGES_COALITION,
  READS_ALLIANCE,
  READS_COALITION,
  READS_CORPORATION,
} from '../shared/level-thresholds.ts';
import { trackingOf } from '../shared/tracking.ts';
import { have, type Needs } from './ahead.ts';

export const standing: Needs = (_, me) => [
  groupsOf(me.character_id),
  ...(me.character_id === BUILT_IN ? [] : [trackingOf(me.character_id)]),
  ...(me.corporation === null
    ? []
    : [queries.corporation.get({ params: { corporation_id: Number(me.corporation) } })]),
  ...(me.alliance === null ? [] : [queries.alliance.get({ params: { alliance_id: me.alliance } })]),
  ...(me.coalitions.length === 0 ? [] : [queries.coalition.list()]),
];

export const invitation: Needs = () => [];
export const characters: Needs = () => [queries.person.current()];
export const trail: Needs = (_, me) => [usesOf(me.character_id)];
export const groups: Needs = () => [queries.group.list()];
export const group: Needs = ({ id = '' }) => [queries.group.get({ params: { group_id: id } })];
export const inbox: Needs = () => [applicationsAs('moderator')];
export const registry: Needs = () => [queries.alliance.list()];

export const alliance: Needs = ({ id }, me) => {
  const params = { alliance_id: Number(id) };
  const reads = me.clearance_level >= READS_ALLIANCE && mayReach('read', me, { alliance: Number(id) });
  return [queries.alliance.get({ params }), ...(reads ? [queries.alliance.compliance({ params })] : [])];
};

export const corporation: Needs = ({ id }, me) => {
  const params = { corporation_id: Number(id) };
  // The alliance of another corporation is not known yet.
  const own = me.corporation === id || me.clearance_level >= READS_ALLIANCE;
  const reads = me.clearance_level >= READS_CORPORATION && own;
  return [
    queries.corporation.get({ params }),
    ...(reads
      ? [queries.corporation.compliance({ params }), queries.corporation.listGuests({ params })]
      : []),
  ];
};

export const coalition: Needs = ({ id = '' }, me) => {
  const params = { coalition_id: id };
  const at = { coalition: id };
  const reads = me.clearance_level >= READS_COALITION && mayReach('read', me, at);
  const changes = me.clearance_level >= CHANGES_COALITION && mayReach('write', me, at);
  return [
    queries.coalition.get({ params }),
    ...(reads ? [queries.coalition.compliance({ params })] : []),
    ...(changes ? [queries.alliance.list(), queries.corporation.list()] : []),
  ];
};

export const users: Needs = () => [usersOf()];

export const user: Needs = async ({ character = '' }, me) => {
  const other = await have(queries.user.get({ params: { character_name: character } }));
  return [
    groupsOf(other.character_id),
    ...(hasAuthority('read', me, other) && other.character_id !== BUILT_IN
      ? [personOf(other.character_id), trackingOf(other.character_id)]
      : []),
  ];
};

export const audit: Needs = () => [eventsOf({})];
export const applications: Needs = () => [queries.oidc.listClients(), queries.group.list()];
export const system: Needs = () => [queries.system.status()];
