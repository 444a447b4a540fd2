import { inTransaction } from '../database/transaction.ts';
import { userTarget } from '../event/record.ts';
import type { Detail } from '../guard/held-event.ts';
import { forgetHeld } from '../guard/mass-change-guard.queries.ts';
import { guardMassChange, storeRefusal } from '../guard/mass-change-guard.ts';
import type { Change, Run } from '../queue/run.ts';
import type { Services } from '../services/services.ts';
import type { VoiceLimits } from '../voice-server/connection.ts';
import { ERROR_IDS, isRefusal } from '../voice-server/voice-error.ts';
import type { VoiceServer } from '../voice-server/voice-server.ts';
import { changeMembers, without } from './change-members.ts';
import { collectRefusals, type Refusals } from './collect-refusals.ts';
import { bindGroup, findEntitled, findIdentities } from './groups.queries.ts';
import { type Mapping, resolveMappings } from './mappings.ts';
import { onVoiceServer } from './on-voice-server.ts';
import { LONGEST_NAME, shorten } from './voice-name.ts';

type Needs = Pick<Services, 'db' | 'clock' | 'log' | 'settings' | 'metrics'>;

/** The server groups that have the names which are taken; undefined where the voice server did not say which. */
type Names = Map<string, number | undefined>;

/** The changes of one mapped group. */
interface GroupChange {
  readonly mapping: Mapping;
  readonly removed: readonly number[];
  readonly added: readonly number[];
}

/**
 * Sets the members of each mapped server group to those members of the group who have a voice identity and may log in
 * (D41). A server group that the service created has no other members; from an adopted one only clients are removed
 * whose identity was bound at some time. Removals are made first and are subject to the mass-change guard (D63). Where
 * the voice server refuses one group, the others are brought up to date all the same.
 *
 * @throws VoiceError when the voice server fails or has refused a group; the next run starts from the state then
 */
export async function syncVoiceGroups(
  services: Needs,
  run: Run,
  limits?: VoiceLimits,
): Promise<readonly Change[]> {
  const { url, groups } = services.settings.voice;
  if (url === undefined || groups.length === 0) {
    // What was held back of groups that are mapped no more would stay for ever.
    if (!run.dryRun) await forgetHeld(services.db, run.job);
    return [];
  }
  const changes = await onVoiceServer(services, run, (server) => syncOn(server, services, run), limits);
  return changes ?? [];
}

async function syncOn(server: VoiceServer, services: Needs, run: Run): Promise<readonly Change[]> {
  const refusals = collectRefusals(services, 'the voice server refuses a server group');
  const changes = await syncUnrefused(server, services, run, refusals);
  refusals.throwFirst();
  // Only now, as a run that is cut off leaves the rest to the next one.
  if (changes.length > 0 && !run.dryRun) await forgetHeld(services.db, run.job);
  return changes;
}

async function syncUnrefused(
  server: VoiceServer,
  services: Needs,
  run: Run,
  refusals: Refusals,
): Promise<readonly Change[]> {
  const { db, log } = services;
  const existing = await server.serverGroups();
  const present = new Map<string, readonly number[]>();
  const mappings: Mapping[] = [];
  const resolved = await resolveMappings(services, existing);
  for (const mapping of resolved) {
    const { group_id, sgid } = mapping;
    await refusals.around(named(mapping), async () => {
      present.set(group_id, sgid === undefined ? [] : await server.members(sgid));
      mappings.push(mapping);
    });
  }
  // Read after the voice server's state, so that a user who lost a membership meanwhile is not added now.
  const entitled = await findEntitled(db, [...present.keys()]);
  const identities = await findIdentities(db);
  const plans = mappings.map((mapping): GroupChange => {
    const wanted = entitled
      .filter(({ group_id }) => group_id === mapping.group_id)
      .map(({ client_database_id }) => client_database_id);
    const is = present.get(mapping.group_id) ?? [];
    const removed = without(is, wanted).filter((id) => !mapping.adopted || identities.has(id));
    return { mapping, removed: removed.sort(byNumber), added: without(wanted, is).sort(byNumber) };
  });
  const changes = plans.flatMap((plan) => changesOf(plan, identities));
  if (run.dryRun) return changes;
  const losses = plans.flatMap(({ mapping, removed }) =>
    removed.map((id) => [id, `${mapping.sgid}`] as const),
  );
  const lookedAt = new Set([...present.values()].flat()).size;
  const details = () => plans.flatMap((plan) => removalsOf(plan, identities));
  // A group that was not listed says nothing about what is held back of it.
  const complete = mappings.length === resolved.length;
  const found = { lookedAt, losses, details, healthy: true, complete, madeAfterwards: true };
  const refusal = await inTransaction(db, (tx) => guardMassChange(tx, services, run, found));
  await storeRefusal(services, refusal);
  if (refusal !== undefined) return [];
  if (changes.length === 0) return changes;
  const names = new Map(existing.map(({ name, sgid }) => [name, sgid]));
  await applyChanges(server, services, run, plans, names, refusals);
  log.info(
    { job: run.job, run_id: run.id, changes: changes.length },
    'server groups were brought up to date',
  );
  return changes;
}

/** Applies the changes, the removals of all groups first, because revoking a right is more urgent than granting one. */
async function applyChanges(
  server: VoiceServer,
  services: Needs,
  run: Run,
  plans: readonly GroupChange[],
  names: Names,
  refusals: Refusals,
): Promise<void> {
  const total = plans.reduce((sum, { removed, added }) => sum + removed.length + added.length, 0);
  let done = 0;
  const step = (count: number) => {
    done += count;
    run.progress(done, total);
  };
  for (const { mapping, removed } of plans) {
    const { sgid } = mapping;
    if (sgid === undefined) continue;
    await refusals.around(named(mapping), () =>
      changeMembers(server, services, sgid, 'remove', removed, step),
    );
  }
  for (const { mapping, added } of plans) {
    await refusals.around(named(mapping), async () => {
      const sgid = mapping.sgid ?? (await create(server, services, mapping, names));
      await changeMembers(server, services, sgid, 'add', added, step);
    });
  }
}

function named({ group_id, sgid }: Mapping): object {
  return { group_id, sgid };
}

/**
 * Creates a server group. If the name is taken, a suffix is added: that server group may be somebody else's, with
 * permissions that our members must not get. It may also be one of ours, of a run that was cut off before it was bound,
 * so the log says so.
 */
async function create(
  server: VoiceServer,
  { db, log }: Needs,
  { group_id, name }: Mapping,
  names: Names,
): Promise<number> {
  for (let n = 1; ; n += 1) {
    const suffix = n === 1 ? '' : ` (${n})`;
    const candidate = shorten(name, LONGEST_NAME - suffix.length) + suffix;
    if (names.has(candidate)) continue;
    names.set(candidate, undefined);
    try {
      const sgid = await server.createServerGroup(candidate);
      names.set(candidate, sgid);
      if (n > 1) {
        const wanted = shorten(name);
        log.warn(
          { group_id, sgid, name: candidate, taken: { sgid: names.get(wanted), name: wanted } },
          'a new server group got a number, as its name is taken: if the other is a regular one without members that ' +
            'nobody made by hand, a creation that was cut off has left it: give its permissions to the new one, and delete it',
        );
      }
      await bindGroup(db, group_id, sgid);
      return sgid;
    } catch (error) {
      if (!isRefusal(error, [ERROR_IDS.duplicateEntry])) throw error;
    }
  }
}

function changesOf(
  { mapping, removed, added }: GroupChange,
  identities: ReadonlyMap<number, number | null>,
): Change[] {
  const { group_id, sgid = null } = mapping;
  const of = (action: string) => (client_database_id: number) => ({
    action,
    group_id,
    sgid,
    character_id: identities.get(client_database_id) ?? null,
    client_database_id,
  });
  const created = sgid === null ? [{ action: 'create', group_id, sgid, name: shorten(mapping.name) }] : [];
  return [...created, ...removed.map(of('remove')), ...added.map(of('add'))];
}

/** Removed members of a server group, as characters where the identity is bound to one. */
function removalsOf(
  { mapping, removed }: GroupChange,
  identities: ReadonlyMap<number, number | null>,
): Detail[] {
  const changes = [{ field: 'voice_group', before: mapping.name || mapping.group_id, after: null }];
  return removed.map((id) => {
    const characterId = identities.get(id) ?? null;
    const identity = { type: 'voice_identity' as const, id: String(id), name: null };
    return { target: characterId === null ? identity : userTarget(characterId), changes };
  });
}

function byNumber(one: number, other: number): number {
  return one - other;
}
