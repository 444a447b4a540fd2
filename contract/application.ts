/** Applications to groups. */
import { z } from 'zod';
import { level } from './access.ts';
import { c, component, DateTime, field, ObjectId, ObjectIdInUrl, wholeNumberInQuery } from './common.ts';
import { errors } from './error-body.ts';
import { GroupShort } from './group-short.ts';
import { AfterInQuery, NEXT_PAGE } from './paging.ts';
import { Questions } from './policy.ts';
import { atMostBytes, LongText, text } from './text.ts';
import { UserShort } from './user.ts';

/** Maximum number of applications in one answer. */
export const MOST_APPLICATIONS = 100;
/** Maximum bytes of UTF-8 in message and answers together, because lists contain them in full. */
const MOST_BYTES = 8192;
/** Maximum number of pending applications of one user, and of applications within 24 hours (joined groups included). */
export const MOST_PENDING = 200;
export const MOST_A_DAY = 500;

const State = z.enum(['pending', 'approved', 'rejected', 'withdrawn', 'expired', 'void']);

export const Application = component(
  z.object({
    application_id: field(ObjectId, 'Id of the application: 24 hexadecimal digits.'),
    group: field(GroupShort, 'The group that the applicant would join; it may be deleted by now.'),
    applicant: field(UserShort, 'Who would join.'),
    state: field(
      State,
      'pending until it is decided; void where it lost its sense: the applicant may not join any more or is a member, or the group is deleted.',
    ),
    message: field(z.string(), 'What the applicant says.'),
    questions: field(z.array(z.string()), 'What the group asked when the application was made.'),
    answers: field(z.array(z.string()), 'The answers to these questions, in their order.'),
    expires_on: field(DateTime, 'When it ends undecided.'),
    decided_on: field(DateTime.nullable(), 'When it was decided, or expired; null while it is pending.'),
    decided_by: field(
      UserShort.nullable(),
      'The moderator who decided; null where the applicant or time did.',
    ),
    reason: field(z.string().nullable(), 'A message of the moderator to the applicant.'),
    note: field(z.string().nullable(), 'What moderators tell each other; null for anybody else.'),
    created_on: DateTime,
  }),
  'Application',
  'A wish to join a group, and what became of it.',
  {
    application_id: '66f2a1b3c4d5e6f708192a3d',
    group: { group_id: '66f2a1b3c4d5e6f708192a3c', group_name: 'Scouts' },
    applicant: { character_id: 2112000002, character_name: 'Brim Okoro' },
    state: 'pending',
    message: 'I know the way.',
    questions: ['Since when do you fly?'],
    answers: ['Since 2019.'],
    expires_on: '2026-04-01T07:05:30.125Z',
    decided_on: null,
    decided_by: null,
    reason: null,
    note: null,
    created_on: '2026-03-02T07:05:30.125Z',
  },
);
export type Application = z.infer<typeof Application>;

export const PostApplication = component(
  z
    .object({
      message: field(
        LongText.nullish().transform((message) => message ?? ''),
        'What to tell those who decide.',
      ),
      answers: field(
        z
          .array(LongText)
          .max(20)
          .nullish()
          .transform((answers) => answers ?? []),
        'An answer to each question of the group, in its order.',
      ),
      questions: field(
        Questions.nullish(),
        'The questions that these answers are to: a 409 if the group asks others by now, or in another order. Not checked without them.',
      ),
    })
    .strict()
    .superRefine(
      atMostBytes(MOST_BYTES, ({ message, answers }: { message: string; answers: string[] }) => [
        message,
        ...answers,
      ]),
    ),
  'PostApplication',
  `A wish to join a group. Message and answers hold at most ${MOST_BYTES} bytes of UTF-8 in all.`,
  { message: 'I know the way.', answers: ['Since 2019.'] },
);
export type PostApplication = z.infer<typeof PostApplication>;

const Remark = text(0, 1000);

export const PutApplication = component(
  z
    .object({
      decision: field(z.enum(['approved', 'rejected']), 'Whether the applicant becomes a member.'),
      reason: field(Remark.nullish(), 'Told to the applicant.'),
      note: field(Remark.nullish(), 'For moderators alone.'),
    })
    .strict(),
  'PutApplication',
  'A decision, which is final.',
  { decision: 'rejected', reason: 'Not this season.', note: 'Asked twice already.' },
);
export type PutApplication = z.infer<typeof PutApplication>;

const byId = z.object({
  application_id: field(ObjectIdInUrl, 'Id of the application.', '66f2a1b3c4d5e6f708192a3d'),
});

/** Query of a list of applications. */
export const ApplicationPage = {
  limit: field(
    wholeNumberInQuery(1, MOST_APPLICATIONS).optional(),
    `At most so many; ${MOST_APPLICATIONS} where absent.`,
    20,
  ),
  after: AfterInQuery.optional(),
};

export const StateInQuery = field(State.optional(), 'Only applications in this state.', 'pending');

export const applicationRoutes = c.router({
  list: {
    method: 'GET',
    path: '/application',
    summary: 'List applications',
    description: `The caller's own applications, or those that the caller could decide, the newest first. ${NEXT_PAGE}`,
    query: z.object({
      role: field(
        z.enum(['applicant', 'moderator']).default('applicant'),
        '`applicant`: the own ones; `moderator`: pending ones of groups that the caller moderates.',
        'moderator',
      ),
      ...ApplicationPage,
    }),
    responses: { 200: field(z.array(Application), 'The applications.'), ...errors() },
    metadata: { positioned: true, operationId: 'listApplications', ...level(0) },
  },
  decide: {
    method: 'PUT',
    path: '/application/:application_id',
    summary: 'Decide an application',
    description:
      'Final: a decided application is a 409. An approval checks again whether the applicant may join. Nobody can decide their own application, nor that of another character of the same person.',
    pathParams: byId,
    body: PutApplication,
    responses: { 200: field(Application, 'The application as it is now.'), ...errors(404, 409, 413, 415) },
    metadata: {
      operationId: 'decideApplication',
      codes: ['forbidden_to_all', 'joining_closed', 'not_eligible', 'already_member', 'application_decided'],
      ...level(0, { besides: 'The caller must moderate the group, own it, or have level 9.' }),
    },
  },
  withdraw: {
    method: 'DELETE',
    path: '/application/:application_id',
    summary: 'Withdraw an application',
    description: 'A decided application is a 409.',
    pathParams: byId,
    responses: { 200: c.noBody(), ...errors(404, 409, 413, 415) },
    metadata: {
      operationId: 'withdrawApplication',
      codes: ['application_decided'],
      ...level(0, { besides: 'The caller must be the applicant.' }),
    },
  },
});
