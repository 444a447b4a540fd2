import { isDeepStrictEqual } from 'node:util';
import type { Kysely, Transaction } from 'kysely';
import {
  type Application,
  MOST_A_DAY,
  MOST_PENDING,
  type PostApplication,
  type PutApplication,
} from '../../contract/application.ts';
import { answersFor } from '../access/account.ts';
import { type Admission, readmit } from '../access/admission.ts';
import type { Caller } from '../access/caller.queries.ts';
import { ADMINISTRATOR_LEVEL, isAdministrator, isBuiltIn } from '../access/clearance-levels.ts';
import { objectId } from '../database/object-id.ts';
import type { Database } from '../database/tables.ts';
import { inTransaction } from '../database/transaction.ts';
import { listChanged, type NewEvent, recordEvents } from '../event/record.ts';
import { changeMembers, hasMember, lockGroup, readGroup, setGroup } from '../group/group.queries.ts';
import { autogroup } from '../group/group.ts';
import { inLineOfGroup } from '../group/in-line.ts';
import { created, decided, endedEvent } from '../policy/apply-judgement.ts';
import { endApplications } from '../policy/pending.queries.ts';
import { barsElsewhere, findCandidate, holdPolicy } from '../policy/policy.queries.ts';
import type { Services } from '../services/services.ts';
import { endUnwelcome } from '../session/end-sessions.ts';
import { DomainError, forbidden, invalid, notFound } from '../shared/domain-error.ts';
import type { ListDifference } from '../shared/list-change.ts';
import { readStandings } from '../standing/read-standings.queries.ts';
import { changedStandings, LOGIN, recordStandings } from '../standing/standing-events.ts';
import {
  type ApplicationRow,
  countApplications,
  findApplication,
  insertApplication,
  isOwn,
  lockApplication,
  storeDecision,
} from './application.queries.ts';
import { closed, requireCandidate, unmetBy } from './joining.ts';
import { toApplication } from './list-applications.ts';
import { requireModerator } from './moderation.ts';

type Needs = Pick<Services, 'db' | 'clock'>;

const DAY = 86_400_000;

/**
 * Joins a group that is open to the caller, or applies to it (D111). That it may is checked twice, as in all writes of
 * a group that anybody may ask for: before it waits for its turn, so that others cannot hold the group up, and again
 * under the lock.
 */
export async function applyTo(
  services: Needs & Pick<Services, 'lines' | 'queue'>,
  admission: Admission,
  groupId: string,
  { message, answers, questions: asked }: PostApplication,
): Promise<Application> {
  const { db, clock } = services;
  await requireCandidate(db, groupId, admission.caller.owner_id, clock.now());
  return inLineOfGroup(groupId, services, admission, async (tx) => {
    await lockGroup(tx, groupId);
    const { owner_id } = await readmit(tx, admission);
    const now = clock.now();
    // Else a deletion that closes the group at this moment would not end the application.
    await holdPolicy(tx, groupId);
    const candidate = await requireCandidate(tx, groupId, owner_id, now);
    await requireRoom(tx, owner_id, now);
    const { questions, joining, expire_days, group_name, character_name } = candidate;
    if (asked != null && !isDeepStrictEqual(asked, questions)) {
      throw new DomainError(
        'questions_changed',
        'The group asks other questions by now, or in another order.',
      );
    }
    if (answers.length !== questions.length) {
      throw invalid(['body', 'answers'], `Must hold an answer to each of the ${questions.length} questions`);
    }
    const application = {
      application_id: objectId(now),
      group_id: groupId,
      group_name,
      character_id: owner_id,
      message,
      questions: [...questions],
      answers,
      created_on: now,
      expires_on: new Date(now.getTime() + expire_days * DAY),
    };
    const open = joining === 'open';
    const decision = open
      ? ({ state: 'approved', decided_on: now } as const)
      : ({ state: 'pending', decided_on: null } as const);
    // Ends a former application that has expired since the last run of the job.
    const ended = await endApplications(tx, now, { groupIds: [groupId], applicantId: owner_id });
    await insertApplication(tx, application, decision);
    const named = { ...application, character_name };
    await recordEvents(tx, [...ended.map((one) => endedEvent(one)), created(named)], now);
    if (open) {
      const [cause = ''] = await recordEvents(tx, [decided(named, 'approved')], now);
      await addMember(services, tx, named, cause);
    }
    return described({ db: tx, clock }, application.application_id, false);
  });
}

/** Adds the applicant to the group. When that takes its login permission away, its sessions end. */
async function addMember(
  services: Pick<Services, 'queue' | 'clock'>,
  tx: Transaction<Database>,
  { group_id, group_name, character_id }: { group_id: string; group_name: string; character_id: number },
  decision: string,
): Promise<void> {
  const change = { added: [character_id], removed: [] };
  const cause = { event_id: decision };
  await changeAndTell(tx, { group_id, group_name }, change, { now: services.clock.now(), cause });
  await endUnwelcome(services, tx, { users: [character_id] });
}

/**
 * Requires that the limits of applications are not reached. The applicant's row is locked, so none escapes the count.
 */
async function requireRoom(tx: Transaction<Database>, characterId: number, now: Date): Promise<void> {
  const { pending, made } = await countApplications(tx, characterId, now, new Date(now.getTime() - DAY));
  if (pending < MOST_PENDING && made < MOST_A_DAY) return;
  throw new DomainError(
    'too_many_applications',
    pending < MOST_PENDING
      ? `You made ${made} applications within 24 hours.`
      : `You have ${pending} pending applications: withdraw one, or wait.`,
  );
}

/** Changes the members of a group, and records that and the changes of their standings; `cause` is the event before. */
async function changeAndTell(
  tx: Transaction<Database>,
  { group_id, group_name }: { group_id: string; group_name: string },
  change: ListDifference<number>,
  { now, cause }: { readonly now: Date; readonly cause?: NewEvent['cause'] },
): Promise<void> {
  // A group without a setting gives and takes no login: one that changes meanwhile is told by whoever changes it (D91).
  const votes = (await readGroup(tx, group_id))?.authorized_to_login != null;
  const standings = await readStandings(tx, votes ? { users: [...change.added, ...change.removed] } : {});
  await changeMembers(tx, group_id, change, { wereJudged: true });
  await setGroup(tx, group_id, { updated_on: now });
  const targets = [{ type: 'group' as const, id: group_id, name: group_name }];
  const event = { type: 'group.members_changed' as const, targets, ...(cause && { cause }) };
  const [event_id = ''] = await recordEvents(tx, listChanged(event, 'members', change), now);
  await recordStandings(tx, await changedStandings(tx, standings, {}, LOGIN), now, { cause: { event_id } });
}

async function described({ db, clock }: Needs, id: string, asModerator: boolean): Promise<Application> {
  const row = await findApplication(db, id, clock.now());
  if (row === undefined) throw notFound('application', id);
  return toApplication(row, asModerator);
}

/**
 * Decides an application finally (D111). Eligibility is checked again while group and application are locked. Nobody
 * decides the application of a character of their own person (D100).
 */
export async function decideApplication(
  services: Needs & Pick<Services, 'lines' | 'queue'>,
  admission: Admission,
  id: string,
  { decision, reason, note }: PutApplication,
): Promise<Application> {
  const { db, clock } = services;
  const found = await findApplication(db, id, clock.now());
  if (found === undefined) throw unknownTo(admission.caller, id);
  const { group_id } = found.group;
  await requireDecider(db, admission.caller, found);
  return inLineOfGroup(group_id, services, admission, async (tx) => {
    await lockGroup(tx, group_id);
    const caller = await readmit(tx, admission, [found.applicant.character_id]);
    const application = await lockApplication(tx, id);
    if (application === undefined) throw unknownTo(caller, id);
    await requireDecider(tx, caller, found);
    const now = clock.now();
    requirePending(application, now);
    if (decision === 'approved') await requireWelcome(tx, group_id, application.character_id, now);
    await storeDecision(tx, id, {
      state: decision,
      decided_on: now,
      decided_by: caller.owner_id,
      decided_by_name: caller.owner_name,
      reason: reason ?? null,
      note: note ?? null,
    });
    const named = { application_id: id, ...found.group, ...found.applicant };
    const [cause = ''] = await recordEvents(tx, [decided(named, decision, reason ?? null)], now);
    if (decision === 'approved') await addMember(services, tx, named, cause);
    return described({ db: tx, clock }, id, true);
  });
}

/**
 * Requires the right to decide this application. Level 9 passes without a group: the application to a deleted one is
 * not pending, which is refused afterwards.
 */
async function requireDecider(
  db: Kysely<Database>,
  caller: Caller,
  { applicant, group }: Pick<ApplicationRow, 'applicant' | 'group'>,
): Promise<void> {
  const deciders = [caller.owner_id, answersFor(caller)];
  if (await isOwn(db, applicant.character_id, deciders)) {
    throw forbidden({ never: 'nobody decides their own application' });
  }
  if (!isAdministrator(caller.level)) await requireModerator({ db }, caller, group.group_id);
}

/** An approval judges again whether the applicant may join. */
async function requireWelcome(
  tx: Transaction<Database>,
  groupId: string,
  applicantId: number,
  now: Date,
): Promise<void> {
  const candidate = await findCandidate(tx, groupId, applicantId, now);
  if (candidate === undefined || candidate.joining !== 'application') throw closed();
  if (unmetBy(candidate) !== undefined) {
    throw new DomainError('not_eligible', 'The applicant is not eligible any more.');
  }
  if (candidate.is_member) throw new DomainError('already_member', 'The applicant is a member already.');
}

/** Below level 9 the answer does not reveal whether an application exists that the caller may not decide (D6). */
function unknownTo({ level }: Caller, id: string): DomainError {
  if (isAdministrator(level)) return notFound('application', id);
  return forbidden({ level: ADMINISTRATOR_LEVEL, has: level, to: "deciding somebody else's applications" });
}

function requirePending({ state, expires_on }: { state: string; expires_on: Date }, now: Date): void {
  if (state === 'pending' && expires_on > now) return;
  const is = state === 'pending' ? 'expired' : state;
  throw new DomainError('application_decided', `The application is ${is} already.`);
}

/** Withdraws the caller's own application; anybody else's is a 404. */
export async function withdrawApplication(
  { db, clock }: Needs,
  admission: Admission,
  id: string,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { owner_id } = await readmit(tx, admission);
    const application = await lockApplication(tx, id);
    if (application === undefined || application.character_id !== owner_id) throw notFound('application', id);
    const now = clock.now();
    requirePending(application, now);
    const nobody = { decided_by: null, decided_by_name: null, reason: null, note: null };
    await storeDecision(tx, id, { state: 'withdrawn', decided_on: now, ...nobody });
    const { group, applicant } = await described({ db: tx, clock }, id, false);
    await recordEvents(tx, [decided({ application_id: id, ...group, ...applicant }, 'withdrawn')], now);
  });
}

/** Removes the caller from a group. The owner cannot leave; for a caller who is no member it is a 404. */
export async function leaveGroup(
  services: Needs & Pick<Services, 'lines' | 'queue'>,
  admission: Admission,
  groupId: string,
): Promise<void> {
  const { db } = services;
  await requireFree(db, admission.caller, groupId, await readGroup(db, groupId));
  await inLineOfGroup(groupId, services, admission, async (tx) => {
    const group = await lockGroup(tx, groupId);
    const caller = await readmit(tx, admission);
    const { owner_id } = caller;
    const { group_name } = await requireFree(tx, caller, groupId, group);
    const change = { added: [], removed: [owner_id] };
    await changeAndTell(tx, { group_id: groupId, group_name }, change, { now: services.clock.now() });
    await endUnwelcome(services, tx, { users: [owner_id] });
  });
}

/** Requires that the caller is a member of the group who may leave it; returns the group. */
async function requireFree(
  db: Kysely<Database>,
  { owner_id, level }: Caller,
  groupId: string,
  group: Awaited<ReturnType<typeof readGroup>>,
) {
  if (group === undefined) throw notFound('group', groupId);
  if (group.is_autogroup) throw autogroup('its members');
  // A user token of the built-in user has no more rights than its sponsor (D23).
  if (isBuiltIn(owner_id) && !isAdministrator(level)) {
    throw forbidden({ level: ADMINISTRATOR_LEVEL, has: level });
  }
  if (group.owner_id === owner_id) {
    throw new DomainError('owner_stays', 'The owner of a group is a member as long as it owns the group.');
  }
  if (!(await hasMember(db, groupId, owner_id))) throw notFound('member', owner_id);
  if (await barsElsewhere(db, groupId)) {
    throw new DomainError(
      'member_stays',
      'Members of this group are barred from another one: its owner removes them.',
    );
  }
  return group;
}
