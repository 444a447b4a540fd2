import type { Kysely } from 'kysely';
import type { CompleteSettings } from '../config/settings.ts';
import { openReplica } from '../database/replica.ts';
import type { Database } from '../database/tables.ts';
import { grantBinding } from '../grant/grant.queries.ts';
import { grantsByKey } from '../grant/grant-keys.queries.ts';
import { loadSigningKeys } from '../keys/signing-keys.ts';
import { createVault } from '../keys/vault.ts';
import { createLog } from '../observability/log.ts';
import { createOutages } from '../observability/outages.ts';
import type { Clock } from '../shared/clock.ts';
import { messageOf } from '../shared/message-of.ts';
import { tokensOfOtherKeys } from '../token/token.queries.ts';
import { findUnreadable } from '../webhook/secret-keys.ts';
import { listHeld, readBacklog } from './backlog.queries.ts';
import { describeBacklog, describeHeld } from './backlog.ts';
import { describeReplica, examineDatabase, examineJobs, examineWebhooks } from './database.ts';
import { examineEvents } from './events.ts';
import { bad, type Finding, good, mind } from './finding.ts';
import { examineContact, examineDisk, examineOutside, examineProxy } from './outside.ts';

/** Number of latest events that are verified, unless all are requested. */
const LAST_EVENTS = 10_000;
/** Findings without which what is stored cannot be looked at. */
const NEEDED = ['PostgreSQL', 'migrations'];

export interface Wanted {
  /** Verify all events. */
  readonly allEvents?: boolean;
  /** Compare the events with a checkpoint that was stored elsewhere; all events are verified then, too. */
  readonly checkpoint?: string | undefined;
}

/** Checks everything that a service needs; read-only. */
export async function* examine(
  db: Kysely<Database>,
  settings: CompleteSettings,
  clock: Clock,
  { allEvents = false, checkpoint }: Wanted = {},
): AsyncGenerator<Finding> {
  yield good('settings', `complete, ${settings.production ? 'production' : 'development'}`);
  yield* examineProxy(settings);
  yield* examineContact(settings);
  const found = await attempt('PostgreSQL', 'is DATABASE_URL right, and does it run?', () =>
    examineDatabase(db),
  );
  yield* found;
  if (found.every(({ about, state }) => state !== 'bad' || !NEEDED.includes(about))) {
    yield* await examineReplica(db, settings, clock);
    yield* await attempt('keys', 'see "Keys" in docs/operating.md', () => examineKeys(db, settings, clock));
    yield* await attempt('jobs', 'see docs/jobs.md', () => examineJobs(db, settings.schedules, clock.now()));
    yield* await attempt('sync', 'see docs/jobs.md', async () => [
      ...describeBacklog(await readBacklog(db, clock.now())),
      ...(await listHeld(db)).map(describeHeld),
    ]);
    yield* await attempt('webhooks', 'see docs/events.md', async () => [
      await examineWebhooks(db, clock.now()),
    ]);
    yield* await attempt('events', 'see docs/events.md', async () => {
      const keys = await loadSigningKeys(settings.tokenSigningKeys, settings.baseUrl, clock);
      const most = allEvents ? undefined : LAST_EVENTS;
      return examineEvents(db, keys, clock.now(), { most, kept: checkpoint });
    });
  }
  yield* await examineOutside(settings, clock);
  yield await examineDisk();
}

/** No finding if no replica is configured. */
async function examineReplica(
  primary: Kysely<Database>,
  { databaseReplicaUrl: url }: CompleteSettings,
  clock: Clock,
): Promise<Finding[]> {
  if (url === undefined) return [];
  const log = createLog('silent');
  const replica = openReplica({ url, primary, log, outages: createOutages(log, clock), poolSize: 1 });
  try {
    return [describeReplica(await replica.examine())];
  } finally {
    await replica.close();
  }
}

async function attempt(about: string, advice: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    return [bad(about, messageOf(error), advice)];
  }
}

async function examineKeys(
  db: Kysely<Database>,
  settings: CompleteSettings,
  clock: Clock,
): Promise<Finding[]> {
  const keys = await loadSigningKeys(settings.tokenSigningKeys, settings.baseUrl, clock);
  const orphans = await tokensOfOtherKeys(db, keys.kids, clock.now());
  const vault = createVault(settings.encryptionKeys);
  const unreadable = (await grantsByKey(db)).filter(
    ({ grant_id, refresh_token }) =>
      !vault.canDecrypt(refresh_token, grantBinding(grant_id, 'refresh_token')),
  );
  const webhooks = (await findUnreadable({ db, vault, clock })).length;
  return [
    orphans.length > 0
      ? bad(
          'signing keys',
          `${orphans.length === 100 ? 'at least 100' : orphans.length} token(s) of keys that are not there`,
          'put the old key back, behind the first one',
        )
      : good('signing keys', `${keys.kids.length}, ${keys.currentKid} signs`),
    keys.idTokens.algorithms.includes('RS256')
      ? good('ID tokens', 'signed with RS256')
      : mind(
          'ID tokens',
          'signed with EdDSA, which some applications of OpenID Connect do not take',
          'add an RSA key to TOKEN_SIGNING_KEYS ("Keys" in docs/operating.md)',
        ),
    unreadable.length > 0 || webhooks > 0
      ? bad(
          'encryption keys',
          `${[...unreadable.map(({ key_id, grants }) => `${grants} refresh token(s) of ${key_id}`), ...(webhooks > 0 ? [`secrets of ${webhooks} webhook(s)`] : [])].join(', ')} cannot be read`,
          'put the old key back, behind the first one',
        )
      : good('encryption keys', 'all refresh tokens and secrets of webhooks can be read'),
  ];
}
