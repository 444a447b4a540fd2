import type { Services } from '../services/services.ts';
import type { ServerGroup } from '../voice-server/voice-server.ts';
import { findBindings, findGroupNames } from './groups.queries.ts';

/** An entry of VOICE_GROUPS with its present state. */
export interface Mapping {
  readonly group_id: string;
  /** Name of the group; empty when it was deleted, so that nobody is its member. */
  readonly name: string;
  /** Undefined when the server group has to be created. */
  readonly sgid: number | undefined;
  readonly adopted: boolean;
}

/**
 * Finds the server group of each group: adopted ones by the setting, created ones by the stored id, never by name
 * (D18b). Entries whose group does not exist are left out and logged.
 */
export async function resolveMappings(
  { db, log, settings }: Pick<Services, 'db' | 'log' | 'settings'>,
  existing: readonly ServerGroup[],
): Promise<Mapping[]> {
  const { groups } = settings.voice;
  const names = await findGroupNames(
    db,
    groups.map(({ group_id }) => group_id),
  );
  const bindings = await findBindings(db);
  const usable = new Set(existing.filter(({ isRegular }) => isRegular).map(({ sgid }) => sgid));
  const adopted = new Set(groups.flatMap(({ sgid }) => sgid ?? []));
  return groups.flatMap(({ group_id, sgid: chosen }): Mapping[] => {
    const name = names.get(group_id);
    const bound = bindings.get(group_id);
    if (chosen !== null) {
      if (usable.has(chosen)) return [{ group_id, name: name ?? '', sgid: chosen, adopted: true }];
      log.warn({ group_id, sgid: chosen }, 'VOICE_GROUPS adopts a server group that does not exist');
      return [];
    }
    if (bound !== undefined && usable.has(bound)) {
      if (!adopted.has(bound)) return [{ group_id, name: name ?? '', sgid: bound, adopted: false }];
      log.warn({ group_id, sgid: bound }, 'VOICE_GROUPS adopts for one group what was made for another');
      return [];
    }
    if (name !== undefined) return [{ group_id, name, sgid: undefined, adopted: false }];
    log.warn({ group_id }, 'VOICE_GROUPS names a group that does not exist');
    return [];
  });
}
