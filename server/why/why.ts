import type { Why } from '../../contract/why.ts';
import type { Caller } from '../access/caller.queries.ts';
import { hasAuthority } from '../access/clearance-levels.ts';
import { distanceTo } from '../access/distance.ts';
import type { RankedPosition } from '../access/level-change.ts';
import type { Services } from '../services/services.ts';
import { forbidden, notFound, revoked } from '../shared/domain-error.ts';
import { whyGroup } from './group.ts';
import { whyLevel } from './level.ts';
import { whyLogin } from './login.ts';
import { whyReach } from './reach.ts';
import type { Answered, Source } from './reasons.ts';
import { whyTracking } from './tracking.ts';
import { type Found, findReach, findWhy, type Judged, type Subject } from './why.queries.ts';

/** A parsed question: `group:66f2…` asks about the group with that id. */
interface Question {
  readonly about: keyof Judged;
  readonly mode: 'read' | 'write';
  readonly id: string;
}

function parsed(about: string): Question {
  const [what = '', id = ''] = about.toLowerCase().split(':');
  const reach = what === 'read' || what === 'write';
  return { about: reach ? 'reach' : (what as keyof Judged), mode: what === 'write' ? 'write' : 'read', id };
}

/**
 * Explains a decision of the service about a user (D120), with the same functions and queries that decide. Users may
 * ask about themselves and about users within their read authority, which is judged before the question is looked into,
 * and again by what the answer is made of.
 */
export async function askWhy(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  asker: Caller,
  nameOrId: string,
  about: string,
): Promise<Why> {
  const question = parsed(about);
  const now = clock.now();
  const reach = await findReach(db, asker, nameOrId);
  requireReach(reach.caller, reach.subject, nameOrId);
  const found = await findWhy(db, asker, nameOrId, question.about, question.id, now);
  const { caller, subject } = found;
  requireReach(caller, subject?.position, nameOrId);
  if (subject === undefined) throw notFound('user', nameOrId);
  const as_of = now.toISOString();
  return { about, as_of, position: found.position, ...answered(question, subject, found) };
}

function requireReach(
  caller: RankedPosition | undefined,
  subject: RankedPosition | undefined,
  nameOrId: string,
): void {
  if (caller === undefined) throw revoked();
  if (subject === undefined) throw notFound('user', nameOrId);
  if (hasAuthority(caller.level, distanceTo(caller, subject), 'read')) return;
  throw forbidden({ authority: 'read', over: `user ${subject.characterId}` });
}

function answered({ about, mode, id }: Question, subject: Subject, found: Found<keyof Judged>): Answered {
  const { name, position } = subject;
  const { characterId, level } = position;
  const [corporation, alliance] = [corporationOf(subject), allianceOf(subject)];
  const guestOf = position.guest ? subject.corporation_name : null;
  const login = (judged: Judged['login']) => whyLogin({ name, characterId, level, guestOf, ...judged });
  switch (about) {
    case 'login':
      return login(found.judged as Judged['login']);
    case 'level': {
      const { since, ...leads } = found.judged as Judged['level'];
      return whyLevel({ name, characterId, level, corporation, alliance, leads, since });
    }
    case 'tracking': {
      const { member, ...judged } = found.judged as Judged['tracking'];
      const toLogIn = login(judged.login).fixes;
      return whyTracking({ name, memberOf: member ? corporation : null, toLogIn, ...judged });
    }
    case 'group': {
      const judged = found.judged as Judged['group'];
      if (judged === null) throw notFound('group', id);
      const group: Source = { type: 'group', id, name: judged.name };
      return whyGroup({ ...judged, name, level, group, toLogIn: login(judged.login).fixes });
    }
    case 'reach': {
      if (found.object === undefined) throw notFound('user', id);
      const nameOf = (type: string, of: string) => nameIn(subject, type, of);
      return whyReach(mode, { name, position, nameOf }, found.object);
    }
  }
}

function corporationOf({ position, corporation_name: name }: Subject): Source | null {
  return name === null ? null : { type: 'corporation', id: String(position.corporationId), name };
}

function allianceOf({ position, alliance_name: name }: Subject): Source | null {
  return name === null ? null : { type: 'alliance', id: String(position.allianceId), name };
}

/** The name of one of the subject's organizations. */
function nameIn(subject: Subject, type: string, id: string): string {
  if (type === 'corporation') return subject.corporation_name ?? '';
  if (type === 'alliance') return subject.alliance_name ?? '';
  return subject.coalitions.find((coalition) => coalition.id === id)?.name ?? '';
}
