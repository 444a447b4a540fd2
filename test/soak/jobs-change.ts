import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { grantBinding } from '../../server/grant/grant.queries.ts';
import { scheduledJobs } from '../../server/queue/job-catalogue.ts';
import { type Stage, signInAt, VOICE_GROUPS } from './jobs-stage.ts';

/** What was asked of the jobs, to be looked for at the end. */
export interface Asked {
  /** Entries that each history of each character shall have: `character history` → how many. */
  readonly entries: Map<string, number>;
  /** State codes of the sign-ins whose events shall arrive. */
  readonly events: string[];
  /** Sessions whose end shall be told to the relying party. */
  readonly ended: string[];
  /** Refresh tokens that shall be revoked. */
  readonly revoked: string[];
  /** Runs that were taken from their worker: it was killed, or slower than that. */
  readonly cutOff: Map<string, number>;
}

/** Seconds after which a run counts as its dead worker's: longer than any of these takes. */
const LOST_AFTER = 6;

/** One step of the world: people come, go and change, and the hours go by that bring the jobs their work. */
export async function change(stage: Stage, asked: Asked): Promise<void> {
  const { app, random, cast } = stage;
  moveOn(stage);
  for (let n = 0; n < 3; n += 1) asked.events.push(await signInAt(stage, pick(stage, cast.steady)));
  for (let n = 0; n < 3; n += 1) asked.ended.push(await stage.logouts.end(pick(stage, cast.steady)));
  if (random() < 0.7) await revokeOne(stage, asked);
  await leaveExpired(stage);
  await changeVoiceGroups(stage);
  await openTurns(stage, asked, 0.1);
  await sql`update grants set next_check_on = now(), access_expires_on = now()
    where valid and random() < 0.1`.execute(app.db);
  await sql`update corporations set refreshed_on = 'epoch' where random() < 0.2`.execute(app.db);
  await sql`update alliances set refreshed_on = 'epoch' where random() < 0.2`.execute(app.db);
  await sql`update voice_identities set told_on = null where random() < 0.02`.execute(app.db);
  await sql`delete from provider_cache where random() < 0.3`.execute(app.db);
  if (random() < 0.3) await registerMembers(stage);
}

function pick<T>({ random }: Pick<Stage, 'random'>, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** What players do. */
function moveOn(stage: Stage): void {
  const { app, random, cast, listed, unregistered } = stage;
  const { world } = app.provider;
  const home = new Set(cast.steady.map((id) => world.character(id)?.corporationId));
  const open = world.corporations.filter(({ id, npc }) => !npc && !home.has(id) && id !== listed);
  const mover = pick(stage, cast.movers);
  const corporation = pick(stage, open);
  const character = world.character(mover);
  if (random() < 0.3) world.hour += 1;
  if (character === undefined || character.deleted) return;
  if (!character.isCeo) {
    if (random() < 0.04) {
      cast.movers.splice(cast.movers.indexOf(mover), 1);
      world.deleteCharacter(mover);
    } else if (random() < 0.7) world.moveCharacter(mover, corporation.id);
    else if (open.some(({ id }) => id === character.corporationId))
      world.setCeo(character.corporationId, mover);
  }
  if (random() < 0.2) world.renameCharacter(mover, `Renamed ${mover} at ${world.hour}`);
  const executors = world.alliances.map(({ executorCorporationId }) => executorCorporationId);
  if (random() < 0.1 && !executors.includes(corporation.id))
    world.moveCorporation(corporation.id, random() < 0.5 ? unregistered : null);
  if (random() < 0.05) {
    const sold = cast.sold.pop();
    if (sold !== undefined) world.handOver(sold);
  }
}

async function revokeOne({ app, refreshTokens, cast, random }: Stage, asked: Asked): Promise<void> {
  const { queue, vault } = app.app.services;
  const characterId = pick({ random }, cast.steady);
  const owner = app.provider.world.character(characterId)?.owner ?? '';
  const token = refreshTokens.issue({ characterId, scopes: ['esi-skills.read_skills.v1'], owner });
  const grant_id = randomUUID();
  const refresh_token = vault.encrypt(token, grantBinding(grant_id, 'refresh_token')).toString('base64');
  await queue.send(app.db, 'revoke-grant', { grant_id, refresh_token });
  asked.revoked.push(token);
}

/** State codes and tokens that have had their time. */
async function leaveExpired({ app, dyn, cast, random }: Stage): Promise<void> {
  const { keys } = app.app.services;
  const owner = pick({ random }, cast.steady);
  await sql`
    insert into state_codes (state_code, app_token, code_verifier, created_on, expires_on)
    values (${randomUUID()}, ${dyn}, 'v', now() - interval '1 day', now() - interval '2 hours')`.execute(
    app.db,
  );
  await sql`
    insert into tokens (uuid, token_type, owner_id, parent, app_token, kid, created_on, expires_on)
    values (${randomUUID()}, 'use', ${owner}, ${dyn}, ${dyn}, ${keys.currentKid}, now() - interval '2 days',
      now() - interval '1 day')`.execute(app.db);
}

/** Somebody leaves a group that is mapped, somebody enters it. */
async function changeVoiceGroups({ app, random }: Stage): Promise<void> {
  const group = random() < 0.5 ? VOICE_GROUPS.made : VOICE_GROUPS.adopted;
  await sql`
    delete from group_members where (group_id, character_id) in (
      select group_id, character_id from group_members
      where group_id = ${group} order by random() limit 1)`.execute(app.db);
  await sql`
    insert into group_members (group_id, character_id)
    select ${group}, character_id from voice_identities
    where character_id is not null order by random() limit 1
    on conflict do nothing`.execute(app.db);
}

async function registerMembers({ app, unregistered }: Stage): Promise<void> {
  const { queue, db } = app.app.services;
  await queue.send(db, 'register-alliance-members', { alliance_id: unregistered });
}

/** A turn that is over waits for its next interval, which begins at a moment that the character's id tells. */
const isOver = sql`failures = 0 and due_on > now() and (extract(epoch from due_on) - character_id)
  % (case when history in ('location', 'mail') then 3600 else 43200 end) = 0`;

/** From now on the turns are noted whose interval comes by itself, while all this takes its time. */
export async function watchTurns({ app }: Stage): Promise<void> {
  await sql`create table own_turns (character_id bigint, history text)`.execute(app.db);
  await sql`create function note_own_turn() returns trigger language plpgsql as $$ begin
    insert into own_turns values (old.character_id, old.history); return new; end $$`.execute(app.db);
  await sql`create trigger notes_own_turns after update on history_turns for each row
    when (old.failures = 0 and old.due_on <= now() and (extract(epoch from old.due_on) - old.character_id)
      % (case when old.history in ('location', 'mail') then 3600 else 43200 end) = 0)
    execute function note_own_turn()`.execute(app.db);
}

/** How often that happened: `character history` → how many. */
export async function ownTurns({ app }: Stage): Promise<Map<string, number>> {
  const { rows } = await sql<{ key: string; count: number }>`
    select character_id || ' ' || history as key, count(*)::int as count from own_turns group by 1`.execute(
    app.db,
  );
  return new Map(rows.map(({ key, count }) => [key, count]));
}

/** The next interval has come for some of those whose turn is over; each brings one entry. */
export async function openTurns({ app }: Stage, asked: Asked, share: number): Promise<void> {
  const { rows } = await sql<{ character_id: number; history: string }>`
    update history_turns set due_on = now() where ${isOver} and random() < ${share}
      and character_id in (select character_id from grants where cardinality(scopes) > 1)
    returning character_id, history`.execute(app.db);
  for (const { character_id, history } of rows) {
    const key = `${character_id} ${history}`;
    asked.entries.set(key, (asked.entries.get(key) ?? 1) + 1);
  }
}

/** How many turns of those whose histories are kept are not over. */
export async function turnsLeft({ app }: Stage): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from history_turns where not (${isOver})
      and character_id in (select character_id from grants where cardinality(scopes) > 1)`.execute(app.db);
  return rows[0]?.count ?? 0;
}

/**
 * The minutes go by that a worker's death costs otherwise: what it had taken on is anybody's again, and what was
 * put off is due. Then every job is asked for.
 */
export async function letTimePass({ app, random }: Stage, asked: Asked): Promise<void> {
  const { queue } = app.app.services;
  await sql`
    update history_turns set due_on = now()
    where due_on > now() and due_on < now() + interval '9 minutes 57 seconds' and not (${isOver})`.execute(
    app.db,
  );
  // Nobody's worker dies as often as here: tries that were cut off do not count.
  const lost = await sql<{ name: string }>`
    update pgboss.job set started_on = now() - expire_in - interval '1 second', retry_count = 0
    where state = 'active' and started_on < now() - ${LOST_AFTER} * interval '1 second'
      and started_on + expire_in > now()
    returning name`.execute(app.db);
  for (const { name } of lost.rows) asked.cutOff.set(name, (asked.cutOff.get(name) ?? 0) + 1);
  await queue.boss.expire();
  await sql`update grants set refresh_started_on = refresh_started_on - interval '31 seconds'
    where refresh_started_on < now() - ${LOST_AFTER} * interval '1 second'`.execute(app.db);
  // Two runs that are ten minutes apart witness a deletion (D63b).
  await sql`update users set graveyard_on = graveyard_on - interval '11 minutes'
    where graveyard_on > now() - interval '11 minutes'`.execute(app.db);
  await sql`update pgboss.job set start_after = now() where state < 'active' and start_after > now()`.execute(
    app.db,
  );
  for (const job of scheduledJobs) {
    // Moves pile up while a run is cut off: the guard would hold them.
    if (random() < 0.5) await queue.run(app.db, job, { force: random() < 0.5 });
  }
}
