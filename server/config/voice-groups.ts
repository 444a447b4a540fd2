import { z } from 'zod';

/** A group whose members are put into a server group. */
export interface MappedGroup {
  readonly group_id: string;
  /** The id of an existing server group; null to create one. */
  readonly sgid: number | null;
}

/** VOICE_GROUPS (D41): `group_id` or `group_id=sgid`, separated by commas; each group and server group once. */
export const VoiceGroups = z.string().transform((text, context): readonly MappedGroup[] => {
  const fail = (message: string) => context.addIssue({ code: 'custom', message });
  const groups: MappedGroup[] = [];
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  for (const [index, entry] of entries.entries()) {
    const [, group_id, sgid] = /^([0-9a-f]{24})(?:=([1-9]\d{0,8}))?$/.exec(entry) ?? [];
    if (group_id === undefined) fail(`entry ${index + 1} is not of the form group_id or group_id=sgid`);
    else groups.push({ group_id, sgid: sgid === undefined ? null : Number(sgid) });
  }
  const adopted = groups.flatMap(({ sgid }) => sgid ?? []);
  if (new Set(groups.map(({ group_id }) => group_id)).size < groups.length) fail('names a group twice');
  if (new Set(adopted).size < adopted.length) fail('names a server group twice');
  return groups;
});
