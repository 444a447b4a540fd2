import type { Target, ValueChange } from '../../contract/event.ts';
import { listChanged, type NewEvent, valueChanges } from '../event/record.ts';
import type { Detail } from '../guard/held-event.ts';
import type { StoredAlliance, StoredCorporation, StoredOrganizations } from './organizations.queries.ts';

const target = (type: 'corporation' | 'alliance', id: number, name: string | null): Target[] => [
  { type, id: String(id), name },
];

/** The events for the differences between two states of alliances and corporations. */
export function organizationEvents(before: StoredOrganizations, after: StoredOrganizations): NewEvent[] {
  return [
    ...[...after.alliances.values()].flatMap((now) =>
      allianceEvents(
        before.alliances.get(now.alliance_id),
        now,
        leaderChange(before, after, now.alliance_id),
      ),
    ),
    ...[...after.corporations.values()].flatMap((now) =>
      corporationEvents(before.corporations.get(now.corporation_id), now),
    ),
    ...membershipEvents(before, after),
    ...leaderEvents(before, after),
  ];
}

/** Changed fields of known organizations, as the mass-change guard shows them (D63). */
export function organizationDetails(before: StoredOrganizations, after: StoredOrganizations): Detail[] {
  return organizationEvents(before, after).flatMap(({ type, targets: [target], changes = [] }) => {
    const values = changes.filter((change): change is ValueChange => 'before' in change);
    const isNew = type.endsWith('.registered');
    return target === undefined || isNew || values.length === 0 ? [] : [{ target, changes: values }];
  });
}

/** The CEO of an alliance's executor before and after, where both are known. */
function leaderChange(before: StoredOrganizations, after: StoredOrganizations, id: number): ValueChange[] {
  const leaderIn = ({ alliances, corporations }: StoredOrganizations) =>
    corporations.get(alliances.get(id)?.executor_corporation_id ?? 0)?.ceo_id;
  const [former, present] = [leaderIn(before), leaderIn(after)];
  if (former === undefined || present === undefined) return [];
  return valueChanges({ ceo: former }, { ceo: present }, ['ceo']);
}

function allianceEvents(
  before: StoredAlliance | undefined,
  now: StoredAlliance,
  leader: readonly ValueChange[],
): NewEvent[] {
  const targets = target('alliance', now.alliance_id, now.alliance_name);
  const told = ({ alliance_name, ticker, executor_corporation_id }: StoredAlliance) => ({
    alliance_name,
    ticker,
    executor_corporation: executor_corporation_id,
  });
  const former = before === undefined ? {} : told(before);
  if (before === undefined) {
    const changes = valueChanges(former, told(now), ['alliance_name', 'ticker', 'executor_corporation']);
    return [{ type: 'alliance.registered', targets, changes }];
  }
  const executor = valueChanges(former, told(now), ['executor_corporation']);
  return [
    ...some('alliance.updated', targets, valueChanges(former, told(now), ['alliance_name', 'ticker'])),
    ...some('alliance.ceo_changed', targets, executor.length === 0 ? [] : [...executor, ...leader]),
  ];
}

function corporationEvents(before: StoredCorporation | undefined, now: StoredCorporation): NewEvent[] {
  const targets = target('corporation', now.corporation_id, now.corporation_name);
  const told = ({ corporation_name, ticker, alliance_id, ceo_id, ceo_name }: StoredCorporation) => ({
    corporation_name,
    ticker,
    alliance: alliance_id,
    ceo: ceo_id,
    ceo_name,
  });
  const former = before === undefined ? {} : told(before);
  const FIELDS = ['corporation_name', 'ticker', 'alliance'] as const;
  if (before === undefined) {
    const changes = valueChanges(former, told(now), [...FIELDS, 'ceo', 'ceo_name']);
    return [{ type: 'corporation.registered', targets, changes }];
  }
  return [
    ...some('corporation.updated', targets, valueChanges(former, told(now), FIELDS)),
    ...some('corporation.ceo_changed', targets, valueChanges(former, told(now), ['ceo', 'ceo_name'])),
  ];
}

function some(
  type: NewEvent['type'],
  targets: Target[],
  changes: NonNullable<NewEvent['changes']>,
): NewEvent[] {
  return changes.length === 0 ? [] : [{ type, targets, changes }];
}

function membershipEvents(before: StoredOrganizations, after: StoredOrganizations): NewEvent[] {
  const members = new Map<number, { added: number[]; removed: number[] }>();
  const of = (id: number) => {
    const known = members.get(id) ?? { added: [], removed: [] };
    members.set(id, known);
    return known;
  };
  for (const { corporation_id: id, alliance_id } of after.corporations.values()) {
    const former = before.corporations.get(id)?.alliance_id ?? null;
    if (former === alliance_id) continue;
    if (former !== null) of(former).removed.push(id);
    if (alliance_id !== null) of(alliance_id).added.push(id);
  }
  return [...members].flatMap(([id, change]) =>
    listChanged(
      { type: 'alliance.members_changed', targets: target('alliance', id, null) },
      'corporations',
      change,
    ),
  );
}

/** Events for a new CEO of an alliance's executor; that of a new executor is told together with it. */
function leaderEvents(before: StoredOrganizations, after: StoredOrganizations): NewEvent[] {
  return [...after.corporations.values()].flatMap((now) => {
    const former = before.corporations.get(now.corporation_id);
    if (former === undefined || now.alliance_id === null || !now.executes) return [];
    const formerly = before.alliances.get(now.alliance_id)?.executor_corporation_id ?? now.corporation_id;
    if (formerly !== now.corporation_id) return [];
    const changes = valueChanges({ ceo: former.ceo_id }, { ceo: now.ceo_id }, ['ceo']);
    return some('alliance.ceo_changed', target('alliance', now.alliance_id, null), changes);
  });
}
