/** Events: what changed, who did it, and what it was before. */
import { extendApi } from '@anatine/zod-openapi';
import { z } from 'zod';
import { level } from './access.ts';
import {
  c,
  component,
  DateTime,
  field,
  GROWS,
  Id,
  MAX_ID,
  MomentInQuery,
  wholeNumberInQuery,
} from './common.ts';
import { errors } from './error-body.ts';
import { EVENT_TYPES, type EventType as Type } from './event-types.ts';
import { AfterInQuery, LimitInQuery, NEXT_PAGE, USUAL_LIMIT } from './paging.ts';

/** Characters, corporations or alliances that one event names at the most; more of them take several events. */
export const MAX_LISTED = 500;

const TYPES = Object.keys(EVENT_TYPES) as [Type, ...Type[]];

export const EventType = component(
  z.enum(TYPES),
  'EventType',
  `What happened. ${GROWS}pass over types that you do not know.\n\n${TYPES.map(typeLine).join('\n')}`,
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
    character_id: field(Id.nullable(), 'The user who is responsible for it; null where there is none.'),
    token: field(z.string().uuid().nullable(), 'The uuid of the token that was used.'),
    app_token: field(z.string().uuid().nullable(), 'The application token that this one descends from.'),
    on_behalf_of: field(Id.nullable(), "The character on whose behalf the game's API was requested."),
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
  'held_change',
  'crash_report',
  'webhook',
  'oidc_client',
] as const;

export const Target = component(
  z.object({
    type: field(
      z.enum(TARGET_TYPES),
      `What kind of record it is. ${GROWS}pass over what is about kinds that you do not know.`,
    ),
    id: field(z.string(), 'Its id as text, also if the id is a number.'),
    name: field(z.string().nullable(), 'What it was called at that time.'),
  }),
  'Target',
  'What an event is about.',
  { type: 'group', id: '66f2a1b3c4d5e6f708192a3c', name: 'Scouts' },
);
export type Target = z.infer<typeof Target>;

/** Ids, too, are numbers here: without a format some generators take 32 bits for them. */
const Scalar = z.union([z.string(), extendApi(z.number(), { format: 'double' }), z.boolean()]).nullable();

export const ValueChange = component(
  z.object({
    field: field(z.string(), 'Name of the field.'),
    before: field(z.union([Scalar, z.array(z.string())]), 'Null if there was no value.'),
    after: z.union([Scalar, z.array(z.string())]),
  }),
  'ValueChange',
  'A field that has another value now.',
  { field: 'clearance_level', before: 0, after: 2 },
);

export const ListChange = component(
  z.object({
    field: field(z.string(), 'Name of the field.'),
    added: field(z.array(Id), `At most ${MAX_LISTED}: more of them are told by several events.`),
    removed: z.array(Id),
  }),
  'ListChange',
  'Ids that came into a list or left it: `members` are users.',
  { field: 'members', added: [2112000001], removed: [] },
);

export const Change = component(
  // Of the two forms, that without fields that may be null comes first: clients that take the first one that seems to
  // fit, and read a missing field as null, would else read lists as values, and lose who came and who left.
  z.union([ListChange, ValueChange]),
  'Change',
  'What an event changed.',
  { field: 'clearance_level', before: 0, after: 2 },
);
export type Change = z.infer<typeof Change>;
export type ValueChange = z.infer<typeof ValueChange>;

export const Cause = component(
  z.object({
    event_id: field(z.string().uuid().nullable(), 'The event that caused this one.'),
    run_id: field(z.string().nullable(), 'The run of a job.'),
    job: field(z.string().nullable(), 'The job of this run.'),
  }),
  'Cause',
  'What caused an event that was a consequence of something else.',
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
    occurred_on: field(DateTime, 'When it happened.'),
    type: field(EventType, 'What happened.'),
    version: extendApi(z.literal(1), { type: 'integer', description: 'Of the form of events.' }),
    actor: field(Actor, 'Who did it.'),
    targets: field(z.array(Target), 'What it is about.'),
    outcome: field(
      z.enum(['done', 'refused', 'held']),
      '`refused`: a sign-in that was refused. `held`: a run that would have taken too much away (D63).',
    ),
    changes: field(z.array(Change), 'The fields that changed.'),
    reason: field(
      z.string().nullable(),
      'Why: what the acting user gave as the reason, or what the service found; null where neither is known. Of a decision about an application only the applicant and who decided are shown it, of a merge or split of persons only who did it, besides level 9; a permanent token of level 7 or 8, or a user token made from one, only where it did that itself.',
    ),
    cause: field(
      Cause.nullable(),
      'What caused it, if it was a consequence of something else, as far as that does not tell which other character a human plays.',
    ),
    context: field(
      EventContext.nullable(),
      'Shown to level 9 and to whose request it was (to a permanent token of level 7 or 8, or a user token made from one, that of its own requests), for 90 days; null where there was no request.',
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

// Operations -----------------------------------------------------------------------------------------------

const SUBJECTS = new Set(TYPES.map((type) => `${type.split('.')[0]}.*`));

/** Whether a text names types: one of them, all about a subject (`group.*`), or all (`*`). */
export function namesTypes(name: string): boolean {
  return name === '*' || SUBJECTS.has(name) || (TYPES as string[]).includes(name);
}

/** The types that such names stand for, as the list is now. */
export function typesNamed(names: readonly string[]): Type[] {
  return TYPES.filter((type) => names.some((name) => covers(name, type)));
}

function covers(name: string, type: string): boolean {
  return name === type || (name.endsWith('*') && type.startsWith(name.slice(0, -1)));
}

/** Types by name or by subject, with commas between them. */
const TypesInQuery = extendApi(
  z
    .string()
    .max(2000)
    .transform((text) => text.split(','))
    .superRefine((names, ctx) => {
      for (const name of names) {
        if (namesTypes(name)) continue;
        ctx.addIssue({ code: 'custom', message: `${JSON.stringify(name)} is no type of events` });
      }
    })
    .transform(typesNamed)
    .pipe(z.array(z.enum(TYPES))),
  { type: 'string' },
);

const EVENTS_ON_A_PAGE = `Events on a page; ${USUAL_LIMIT} where absent. It ends before where it has about 2 MiB.`;

const TYPES_EXAMPLE = 'group.*,user.standing_changed';

/** Events that one answer of the feed holds at the most. */
export const MAX_EVENTS = 1000;
/** Seconds that an answer may be waited for. */
export const MAX_WAIT = 30;

export const EventPage = component(
  z.object({
    events: field(z.array(Event), 'In the order of their positions; may be empty although there are more.'),
    cursor: field(z.string(), 'Value of `after` for the next page; unchanged when there is nothing new.'),
    more: field(z.boolean(), 'Whether to ask for the next page at once.'),
  }),
  'EventPage',
  'A stretch of what happened.',
  { events: [], cursor: '48213', more: false },
);
export type EventPage = z.infer<typeof EventPage>;

/** Where the feed goes on: the position of a list is a number, the cursor of a page text. Both are digits. */
const PositionInQuery = field(
  extendApi(wholeNumberInQuery(0, MAX_ID), {
    ...({ type: undefined, format: undefined, minimum: undefined, maximum: undefined } as object),
    oneOf: [
      { type: 'integer', format: 'int64', minimum: 0, maximum: MAX_ID },
      { type: 'string', pattern: '^\\d{1,16}$' },
    ],
  }),
  'A cursor, or the `Castellan-Position` of a list: digits, sent as they are, without quotes.',
  48213,
);

export const eventRoutes = c.router({
  list: {
    method: 'GET',
    path: '/event',
    summary: 'Follow what happens',
    description:
      'Events after a cursor, in order, each at least once: store the cursor together with the data that you derive from the events. Begin with lists and their `Castellan-Position`; without `after` the feed begins with the oldest event that it still has. It keeps events for 30 days: an older cursor is a 410, and so is one beyond the last event, as after a restored backup; then read the lists anew. A page may be empty while `more` is true: one answer looks at so many events only, and that of a busy service possibly at none.',
    query: z.object({
      after: PositionInQuery.optional(),
      types: field(
        TypesInQuery.optional(),
        'Only events of these types; `group.*` means all events of groups.',
        TYPES_EXAMPLE,
      ),
      limit: field(LimitInQuery.optional(), EVENTS_ON_A_PAGE, USUAL_LIMIT),
      wait: field(
        wholeNumberInQuery(0, MAX_WAIT).optional(),
        'Seconds for which the answer is held back until there is something.',
        25,
      ),
    }),
    responses: { 200: field(EventPage, 'A page of events.'), ...errors(410) },
    metadata: {
      operationId: 'listEvents',
      codes: ['too_many_waiting'],
      ...level(0, {
        levelOf: { per: 7 },
        besides: 'A permanent token reads all events, a user token those that `GET /audit` shows.',
      }),
    },
  },
});

const TARGET_FORM = 'Must be type:id';

/** U+0000 is refused beside the pattern: `\0` in it is an error in regular expressions of Java and Rust. */
const TargetInQuery = z
  .string()
  .max(200)
  .regex(/^[a-z_]+:[\s\S]/, TARGET_FORM)
  .refine((target) => !target.includes('\0'), TARGET_FORM);

export const auditRoutes = c.router({
  list: {
    method: 'GET',
    path: '/audit',
    summary: 'Look up who did what',
    description: `Events, the latest first, kept for 400 days, those about users, persons and tokens for three years. As JSON, as a line of JSON for each event (\`Accept: application/x-ndjson\`) or as a table (\`text/csv\`). Everybody sees the events of which they are the actor or the target, including those of somebody using their data. Read authority also shows the events of the users whom it covers; level 9 sees all. What an event says about other people is left out. ${NEXT_PAGE} Such a page may be short, and the next one empty: one answer looks at so many events only.`,
    query: z.object({
      actor: field(wholeNumberInQuery(0, MAX_ID).optional(), 'Id of the character who did it.', 2112000001),
      target: field(
        TargetInQuery.optional(),
        'What it is about, as `type:id`; a user also as one of the members who came or went.',
        'user:2112000002',
      ),
      type: field(TypesInQuery.optional(), 'Only events of these types.', TYPES_EXAMPLE),
      since: field(MomentInQuery.optional(), 'Not before this moment.', '2026-03-01T00:00:00.000Z'),
      until: field(MomentInQuery.optional(), 'Before this moment.', '2026-03-02T00:00:00.000Z'),
      limit: field(LimitInQuery.optional(), EVENTS_ON_A_PAGE, USUAL_LIMIT),
      after: AfterInQuery.optional(),
    }),
    responses: { 200: field(z.array(Event), 'A page of events.'), ...errors() },
    metadata: {
      operationId: 'listAudit',
      codes: ['too_many_waiting'],
      also: {
        'application/x-ndjson': '{"event_id":"01920f3e-8a4c-7d21-9b3f-2c5e8a7d4f10",…}\n',
        'text/csv': 'event_id,position,occurred_on,…\r\n',
      },
      ...level(0, { besides: 'What is shown depends on the authority over those whom it concerns.' }),
    },
  },
});
