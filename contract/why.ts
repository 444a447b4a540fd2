/** Explanations of the service's decisions about users. */
import { extendApi } from '@anatine/zod-openapi';
import { z } from 'zod';
import { component, DateTime, field, MAX_ID } from './common.ts';

const ABOUT = /^(login|level|tracking|group:[0-9a-fA-F]{24}|(read|write):(0|[1-9][0-9]{0,15}))$/;

/** Whether ids of users, which are no larger than a number of JSON, reach that far (D3b). */
function isQuestion(about: string): boolean {
  const [, id = ''] = about.split(':');
  return ABOUT.test(about) && (about.startsWith('group:') || Number(id) <= MAX_ID);
}

/** The question, as a query parameter. */
export const AboutInQuery = field(
  extendApi(z.string().refine(isQuestion, 'Must be login, level, tracking, group:ID, read:ID or write:ID'), {
    type: 'string',
    pattern: ABOUT.source,
  }),
  'The question about the user. `login`: may it log in? `level`: is it admitted as a member, and why at this level? `tracking`: do its refresh tokens cover what is required? `group:ID`: is it a member of the group? `read:ID` and `write:ID`: may it read or change the character with that id?',
  'login',
);

export const WhySource = component(
  z.object({
    type: field(
      z.enum(['corporation', 'alliance', 'coalition', 'group', 'hidden']),
      'Kind of record; `hidden`: one that the caller may not see.',
    ),
    id: field(z.string().nullable(), 'Its id; null where it is hidden.'),
    name: field(z.string().nullable(), 'Its name; null where it is hidden.'),
  }),
  'WhySource',
  'Where a fact comes from.',
  { type: 'coalition', id: '66f2a1b3c4d5e6f708192a3b', name: 'Lantern Pact' },
);

export const WhyFact = component(
  z.object({
    rule: field(z.string(), 'Number of the rule that makes the fact count, as docs/rules.md has it.'),
    source: field(
      WhySource.nullable(),
      'The record that the fact comes from; null if it is the user itself, or none.',
    ),
    via: field(
      z.string().nullable(),
      "By which organization of the user's the source reaches it: `corporation`, `alliance` or `coalition`; null: directly.",
    ),
    says: field(z.string(), 'The fact, for people.'),
    decisive: field(z.boolean(), 'Whether the answer or its reason would differ without this fact.'),
    since_event: field(z.string().nullable(), 'Id of the event that made it so, where that is known.'),
  }),
  'WhyFact',
  'A fact that an answer is based on.',
  {
    rule: 'D27',
    source: { type: 'coalition', id: '66f2a1b3c4d5e6f708192a3b', name: 'Lantern Pact' },
    via: 'corporation',
    says: 'Lets its members in.',
    decisive: true,
    since_event: null,
  },
);

export const WhyFix = component(
  z.object({
    who: field(z.string(), 'Who could do it: a user by name, an owner, or the level needed.'),
    text: field(z.string(), 'What to do, for people.'),
    operation: field(z.string(), 'The operation of this document that does it, by its id.'),
  }),
  'WhyFix',
  'A change that would turn a no into a yes.',
  { who: 'Ada Vale', text: 'Sign in again, granting ext-mail.read_mail.v1.', operation: 'startLogin' },
);

export const Why = component(
  z.object({
    about: field(z.string(), 'What was asked.'),
    answer: field(
      z.enum(['yes', 'no', 'unknown']),
      '`unknown` where the question has no answer for this user.',
    ),
    as_of: field(DateTime, 'The time that the answer is valid for.'),
    position: extendApi(z.number().int().nullable(), {
      format: 'int64',
      description: 'Position of the last event that the answer takes into account.',
    }),
    sentence: field(z.string(), 'The answer with its reason, for people.'),
    facts: field(z.array(WhyFact), 'All facts that it is based on.'),
    fixes: field(z.array(WhyFix), 'Changes that would turn a no into a yes, and who could make them.'),
  }),
  'Why',
  'The answer to a question about a user, with its reasons; computed by the same code that decides.',
  {
    about: 'login',
    answer: 'yes',
    as_of: '2026-03-02T07:05:30.125Z',
    position: null,
    sentence: 'Ada Vale may log in: let in by the coalition Lantern Pact.',
    facts: [
      {
        rule: 'D27',
        source: { type: 'coalition', id: '66f2a1b3c4d5e6f708192a3b', name: 'Lantern Pact' },
        via: 'corporation',
        says: 'Lets its members in.',
        decisive: true,
        since_event: null,
      },
    ],
    fixes: [],
  },
);
export type Why = z.infer<typeof Why>;
