/** Events: what changed, who did it, and what it was before. */
import { extendApi } from '@anatine/zod-openapi';
import { z } from 'zod';
import { component, DateTime, field, Id } from './common.ts';
import { EVENT_TYPES, type EventType as Type } from './event-types.ts';

/** Characters, corporations or alliances that one event names at the most; more of them take several events. */
export const MAX_LISTED = 500;

const TYPES = Object.keys(EVENT_TYPES) as [Type, ...Type[]];

export const EventType = component(
  z.enum(TYPES),
  'EventType',
  `What happened. The list grows: pass over types that you do not know.\n\n${TYPES.map(typeLine).join('\n')}`,
  'group.members_changed',
);
export type EventType = Type;

function typeLine(type: Type): string {
  return `- \`${type}\`: ${EVENT_TYPES[type]}`;
}

export const Actor = component(
  z.object({
    kind: field(
      z.enum(['user', 'app', 'job', 'provider', 'cli']),
      'A user by a user token or a sign-in, an application by its own token, a job, the game, or a command beside the service.',
    ),
    character_id: field(Id.nullable(), 'Who answers for it; null where nobody does.'),
    token: field(z.string().uuid().nullable(), 'The uuid of the token that was used.'),
    app_token: field(z.string().uuid().nullable(), 'The application token that this one descends from.'),
    on_behalf_of: field(Id.nullable(), 'The character in whose name the game was asked.'),
  }),
  'Actor',
  'Who did something.',
  {
    kind: 'user',
    character_id: 2112000001,
    token: '9d1f0c2b-7a3e-4b5c-8d6e-0f1a2b3c4d5e',
    app_token: '1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b',
    on_behalf_of: null,
  },
);
export type Actor = z.infer<typeof Actor>;

export const TARGET_TYPES = [
  'user',
  'group',
  'coalition',
  'corporation',
  'alliance',
  'token',
  'grant',
  'application',
  'person',
  'voice_identity',
  'job',
  'crash_report',
] as const;

export const Target = component(
  z.object({
    type: z.enum(TARGET_TYPES),
    id: field(z.string(), 'Its id as text, whatever the record has.'),
    name: field(z.string().nullable(), 'What it was called at that time.'),
  }),
  'Target',
  'What an event is about.',
  { type: 'group', id: '66f2a1b3c4d5e6f708192a3c', name: 'Scouts' },
);
export type Target = z.infer<typeof Target>;

const Scalar = z.union([z.string(), z.number(), z.boolean()]).nullable();

export const ValueChange = component(
  z.object({
    field: z.string(),
    before: field(z.union([Scalar, z.array(z.string())]), 'Null where there was nothing, or nothing yet.'),
    after: z.union([Scalar, z.array(z.string())]),
  }),
  'ValueChange',
  'A field that has another value now.',
  { field: 'clearance_level', before: 0, after: 2 },
);

export const ListChange = component(
  z.object({
    field: z.string(),
    added: field(z.array(Id), `At most ${MAX_LISTED}: more of them are told by several events.`),
    removed: z.array(Id),
  }),
  'ListChange',
  'Ids that came into a list or left it: `members` are users.',
  { field: 'members', added: [2112000001], removed: [] },
);

export const Change = component(z.union([ValueChange, ListChange]), 'Change', 'What an event changed.', {
  field: 'clearance_level',
  before: 0,
  after: 2,
});
export type Change = z.infer<typeof Change>;
export type ValueChange = z.infer<typeof ValueChange>;

export const Cause = component(
  z.object({
    event_id: field(z.string().uuid().nullable(), 'The event that this one follows from.'),
    run_id: field(z.string().nullable(), 'The run of a job.'),
    job: field(z.string().nullable(), 'The job that it was a run of.'),
  }),
  'Cause',
  'Why something happened that nobody asked for by itself.',
  { event_id: null, run_id: '5d0b7a3c-2f4e-4b7a-9c56-0a6c1f1f8f11', job: 'sync-users' },
);
export type Cause = z.infer<typeof Cause>;

export const EventContext = component(
  z.object({
    request_id: z.string(),
    address: z.string(),
    user_agent: z.string().nullable(),
  }),
  'EventContext',
  'From where the request came that changed something.',
  {
    request_id: '6f1d7c0a-5a4e-4c39-9b7e-1c2d3e4f5a6b',
    address: '203.0.113.7',
    user_agent: 'example-bot/1.2',
  },
);
export type EventContext = z.infer<typeof EventContext>;

export const Event = component(
  z.object({
    event_id: field(z.string().uuid(), 'A UUID of version 7: it begins with the time.'),
    position: extendApi(z.number().int().nullable(), {
      format: 'int64',
      description:
        'Its place among all events, without a gap; null for the moment until it has one, in the audit alone.',
    }),
    occurred_on: DateTime,
    type: EventType,
    version: extendApi(z.literal(1), { type: 'integer', description: 'Of the form of events.' }),
    actor: Actor,
    targets: z.array(Target),
    outcome: field(
      z.enum(['done', 'refused', 'held']),
      '`held`: a run that would have taken too much away (D63).',
    ),
    changes: z.array(Change),
    reason: field(z.string().nullable(), 'In the words of whoever gave one.'),
    cause: Cause.nullable(),
    context: field(
      EventContext.nullable(),
      'Shown to level 9 and to whose request it was, for 90 days; null where there was no request.',
    ),
  }),
  'Event',
  'Something that happened. What the reader may not see of other people is left out of it.',
  {
    event_id: '01920f3e-8a4c-7d21-9b3f-2c5e8a7d4f10',
    position: 48213,
    occurred_on: '2026-03-02T07:05:30.125Z',
    type: 'group.members_changed',
    version: 1,
    actor: {
      kind: 'user',
      character_id: 2112000001,
      token: '9d1f0c2b-7a3e-4b5c-8d6e-0f1a2b3c4d5e',
      app_token: '1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b',
      on_behalf_of: null,
    },
    targets: [{ type: 'group', id: '66f2a1b3c4d5e6f708192a3c', name: 'Scouts' }],
    outcome: 'done',
    changes: [{ field: 'members', added: [2112000002], removed: [] }],
    reason: null,
    cause: null,
    context: null,
  },
);
export type Event = z.infer<typeof Event>;
