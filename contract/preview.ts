/** The effects of a change on people, computed without making it. */
import { z } from 'zod';
import { component, field } from './common.ts';
import { GroupShort } from './group-short.ts';
import { UserShort } from './user.ts';

/** Media type of a preview, which tells it apart from the operation's usual answer. */
export const PREVIEW_TYPE = 'application/vnd.castellan.preview+json';
/** Maximum number of users that an entry of a preview names; the others are only counted. */
export const MOST_NAMED = 100;

export const PreviewChange = component(
  z.object({
    about: field(
      z.enum(['login', 'level', 'group', 'validity']),
      'What is gained or lost: the permission to log in, a clearance level, the membership in a group (autogroups too), or a refresh token that covers all required scopes.',
    ),
    effect: field(z.enum(['gained', 'lost']), 'Whether these users would gain it or lose it.'),
    group: field(
      GroupShort.nullable(),
      'Which group, where it is about one; else null. An autogroup that the change would make has no id yet that will last.',
    ),
    from_level: field(z.number().int().nullable(), 'The level before, where it is about levels; else null.'),
    to_level: field(
      z.number().int().nullable(),
      'The level afterwards, where it is about levels; else null, as of a user who is deleted.',
    ),
    count: field(z.number().int(), 'How many users.'),
    users: field(
      z.array(UserShort),
      `The first ${MOST_NAMED} of them, ordered by name ignoring case, then by id.`,
    ),
  }),
  'PreviewChange',
  'What one change would give to, or take from, so many users.',
  {
    about: 'login',
    effect: 'lost',
    group: null,
    from_level: null,
    to_level: null,
    count: 1,
    users: [{ character_id: 2112000001, character_name: 'Ada Vale' }],
  },
);
export type PreviewChange = z.infer<typeof PreviewChange>;

export const Preview = component(
  z.object({
    changes: field(
      z.array(PreviewChange),
      'One entry for each right that anybody would gain or lose, by the policies of groups that the caller may see, too, where no grace is left; empty if the change affects nobody.',
    ),
  }),
  'Preview',
  `What a change would do to people. Nothing was stored. It answers \`dry_run=true\` alone, as \`${PREVIEW_TYPE}\`; the usual answer of a deletion has no body.`,
  {
    changes: [
      {
        about: 'group',
        effect: 'lost',
        group: { group_id: '66f2a1b3c4d5e6f708192a3c', group_name: 'Scouts' },
        from_level: null,
        to_level: null,
        count: 1,
        users: [{ character_id: 2112000001, character_name: 'Ada Vale' }],
      },
    ],
  },
);
export type Preview = z.infer<typeof Preview>;
