import { sql } from 'kysely';
import { expect } from 'vitest';
import { mailbox } from '../../dev/world/mailbox.ts';
import { membershipsOf } from '../fixtures/voice.ts';
import { type Asked, ownTurns } from './jobs-change.ts';
import { type Stage, VOICE_GROUPS } from './jobs-stage.ts';

const TABLES = {
  location: 'character_locations',
  skillpoints: 'character_skill_points',
  wallet: 'character_wallets',
} as const;

/** Each turn of a history has brought one entry, and every mailbox is the provider's. */
export async function checkHistories(stage: Stage, { entries }: Asked): Promise<number> {
  const { app, cast } = stage;
  const { world } = app.provider;
  const own = await ownTurns(stage);
  const expected = (key: string) => (entries.get(key) ?? 1) + (own.get(key) ?? 0);
  let total = 0;
  for (const [history, table] of Object.entries(TABLES)) {
    const { rows } = await sql<{ character_id: number; count: number }>`
      select character_id, count(*)::int as count from ${sql.table(table)} group by 1`.execute(app.db);
    const counted = new Map(rows.map((row) => [row.character_id, row.count]));
    const kept = cast.steady.map((id) => [id, counted.get(id) ?? 0]);
    expect({ history, kept }).toEqual({
      history,
      kept: cast.steady.map((id) => [id, expected(`${id} ${history}`)]),
    });
    expect(counted.size).toBe(cast.steady.length);
    total += rows.reduce((sum, row) => sum + row.count, 0);
  }
  const { rows } = await sql<{ character_id: number; mails: number[] }>`
    select character_id, array_agg(mail_id::bigint order by position desc) as mails
    from mailbox_mails group by 1`.execute(app.db);
  const held = new Map(rows.map((row) => [row.character_id, row.mails.map(Number)]));
  for (const id of cast.steady) {
    const character = world.character(id);
    const mails = character === undefined ? [] : mailbox(world, character);
    const wanted = mails
      .toSorted((a, b) => b.timestamp.localeCompare(a.timestamp) || b.id - a.id)
      .map((mail) => mail.id);
    expect({ id, mails: held.get(id) }).toEqual({ id, mails: wanted });
    total += wanted.length;
  }
  return total;
}

/** Everybody and everything is registered as the provider has it. */
export async function checkRegistry({ app, unregistered, listed }: Stage): Promise<number> {
  const { world } = app.provider;
  const users = await app.db
    .selectFrom('users')
    .select(['character_id', 'corporation_id', 'character_name'])
    .where('character_id', '<>', 0)
    .orderBy('character_id')
    .execute();
  expect(users).toEqual(
    users.map(({ character_id }) => {
      const character = world.character(character_id);
      const corporation = world.corporation(character?.corporationId ?? 0);
      return {
        character_id,
        corporation_id: corporation?.npc ? null : corporation?.id,
        character_name: character?.deleted ? 'deleted' : character?.name,
      };
    }),
  );
  const known = users.map(({ character_id }) => character_id);
  expect(known).toEqual(expect.arrayContaining(world.membersOf(listed)));
  const corporations = await app.db
    .selectFrom('corporations')
    .select(['corporation_id', 'alliance_id', 'ceo_id'])
    .orderBy('corporation_id')
    .execute();
  expect(corporations).toEqual(
    corporations.map(({ corporation_id }) => {
      const corporation = world.corporation(corporation_id);
      return { corporation_id, alliance_id: corporation?.allianceId, ceo_id: corporation?.ceoId };
    }),
  );
  const registered = corporations.map(({ corporation_id }) => corporation_id);
  expect(registered).toEqual(expect.arrayContaining(world.corporationsOf(unregistered)));
  return users.length;
}

/** Every refresh token was asked about; dead are those of the sold characters alone. */
export async function checkGrants({ app, cast }: Stage, soldAtFirst: readonly number[]): Promise<number> {
  const { rows } = await sql<{ character_id: number; valid: boolean; due: boolean; halfway: boolean }>`
    select character_id, valid, valid and next_check_on <= now() as due,
      refresh_started_on is not null as halfway
    from grants order by 1`.execute(app.db);
  const sold = soldAtFirst.filter((id) => !cast.sold.includes(id));
  expect(rows.filter(({ valid }) => !valid).map((row) => row.character_id)).toEqual(sold.sort());
  expect(rows.filter(({ due, halfway }) => due || halfway)).toEqual([]);
  return rows.length;
}

/** Every application heard of its sign-ins, and nothing more once a delivery was over. */
export async function checkEvents({ app, answered }: Stage, { events }: Asked): Promise<object> {
  const { rows } = await sql<{ state_code: string; attempt: number; created_on: Date; completed_on: Date }>`
    select data->>'state_code' as state_code, (data->>'attempt')::int as attempt, created_on, completed_on
    from pgboss.job where name = 'deliver-sign-in' order by attempt`.execute(app.db);
  const delivered = answered.filter(({ status }) => status < 300);
  const first = new Map(delivered.toReversed().map(({ stateCode, at }) => [stateCode, at]));
  expect(events.filter((code) => !first.has(code))).toEqual([]);
  const triesOf = (code: string) => rows.filter(({ state_code }) => state_code === code);
  const doubled = events.filter((code) => {
    const tries = triesOf(code);
    return new Set(tries.map(({ attempt }) => attempt)).size < tries.length;
  });
  expect({ doubled }).toEqual({ doubled: [] });
  // Called again: only while the job that delivered it was not known to be done.
  const late = events.filter((code) =>
    triesOf(code).some(({ created_on }) => created_on > (first.get(code) ?? new Date(0))),
  );
  expect({ late }).toEqual({ late: [] });
  return { events: events.length, calls: answered.length, repeated: delivered.length - first.size };
}

/** The provider takes none of the refresh tokens any more that were to be revoked. */
export async function checkRevoked({ app }: Stage, { revoked }: Asked): Promise<number> {
  for (const token of revoked)
    expect(await app.app.services.sso.refresh(token)).toMatchObject({ kind: 'dead' });
  return revoked.length;
}

/** Server groups hold who is in our group and may log in; who bears the wrong name was told. */
export async function checkVoice({ app, voice }: Stage): Promise<object> {
  const is = membershipsOf(voice);
  for (const [kind, group] of Object.entries(VOICE_GROUPS)) {
    const { rows } = await sql<{ cldbid: number }>`
      select client_database_id as cldbid from group_members join voice_identities using (character_id)
        join users using (character_id)
      where group_id = ${group} and corporation_id in (select corporation_id from coalition_reach)
      order by 1`.execute(app.db);
    const bound = await app.db
      .selectFrom('voice_groups')
      .select('sgid')
      .where('group_id', '=', group)
      .executeTakeFirst();
    const sgid = kind === 'made' ? bound?.sgid : app.app.services.settings.voice.groups[1]?.sgid;
    expect({ group, members: is[sgid ?? 0] ?? [] }).toEqual({
      group,
      members: rows.map(({ cldbid }) => cldbid),
    });
  }
  const { messages, clients } = voice.world;
  const told = new Set(messages.map(({ clid }) => clid));
  const { rows } = await sql<{ cldbid: number }>`
    select client_database_id as cldbid from voice_identities join users using (character_id)
    where corporation_id in (select corporation_id from coalition_reach)`.execute(app.db);
  const untold = clients.filter(
    ({ clid, clientDatabaseId }) => !told.has(clid) && rows.some(({ cldbid }) => cldbid === clientDatabaseId),
  );
  expect(untold).toEqual([]);
  return { groups: voice.world.groups.size, messages: messages.length };
}

/** Nothing waits, nothing was given up, nothing is left to tidy, and the jobs find nothing more to do. */
export async function checkRest({ app }: Stage): Promise<number> {
  // A run on a schedule that is cut off while another of its kind waits to be tried again, is one with that.
  const coalesced = sql`j.policy = 'stately' and j.retry_count < j.retry_limit
    and j.output->'value'->>'message' like '%timeout%'`;
  const { rows } = await sql<{ name: string; state: string; data: unknown; output: unknown }>`
    select name, state::text, data, output from pgboss.job j
    where state <> 'completed' and name <> 'dead-letters' and not (${coalesced})`.execute(app.db);
  expect(rows).toEqual([]);
  const expired = await sql<{ codes: number; tokens: number; held: number }>`
    select (select count(*)::int from state_codes where expires_on < now() - interval '1 hour') as codes,
      (select count(*)::int from tokens where expires_on < now()) as tokens,
      (select count(*)::int from held_changes) as held`.execute(app.db);
  expect(expired.rows).toEqual([{ codes: 0, tokens: 0, held: 0 }]);
  for (const job of ['sync-users', 'refresh-organizations', 'follow-names', 'sync-voice-groups'] as const)
    expect({ job, changes: await app.app.services.dryRun(job) }).toEqual({ job, changes: [] });
  const done = await sql<{ count: number }>`
    select count(*)::int as count from pgboss.job where state = 'completed'`.execute(app.db);
  return done.rows[0]?.count ?? 0;
}
