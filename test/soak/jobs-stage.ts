import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { ExtScope } from '../../contract/scopes.ts';
import { createRefreshTokens, type RefreshTokens } from '../../dev/provider/refresh-token.ts';
import { type SimulatedVoiceServer, startSimulatedVoiceServer } from '../../dev/voice-server/server.ts';
import { sequence } from '../../dev/world/random.ts';
import { FIRST_CHARACTER_ID } from '../../dev/world/world.ts';
import { nameKey } from '../../server/database/name-key.ts';
import { addGrants } from '../fixtures/grants.ts';
import { letIn } from '../fixtures/registry.ts';
import { makeToken, uuidOf } from '../fixtures/users.ts';
import { addGroup, addIdentity } from '../fixtures/voice.ts';
import { startTestApp, type TestApp } from '../harness/app.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';
import { type Logouts, startLogouts } from './jobs-logouts.ts';

const WORLD = { alliances: 3, corporations: 14, characters: 700 } as const;
const ONE_SCOPE: readonly ExtScope[] = ['ext-location.read_online.v1'];
const ALL: readonly ExtScope[] = [
  'ext-location.read_location.v1',
  'ext-location.read_online.v1',
  'ext-location.read_ship_type.v1',
  'ext-mail.read_mail.v1',
  'ext-skills.read_skills.v1',
  'ext-wallet.read_character_wallet.v1',
];
const MEMBERSHIP: ExtScope = 'ext-corporations.read_corporation_membership.v1';
/** Rate groups that are asked more often in these minutes than in a day. */
const RATE_GROUPS = ['char-social', 'char-location', 'char-detail', 'char-wallet', 'corp-member'];

/** Server groups: one that the service makes, one that it adopts. */
export const VOICE_GROUPS = { made: 'a1'.repeat(12), adopted: 'b2'.repeat(12) } as const;

/** Characters by what may happen to them. */
interface Cast {
  /** They stay where they are, and their histories are kept. */
  readonly steady: readonly number[];
  /** They move, are renamed, lead, and some are deleted. */
  readonly movers: number[];
  /** To be sold, one after the other: their refresh tokens die then. */
  readonly sold: number[];
}

export interface Stage {
  readonly app: TestApp;
  readonly voice: SimulatedVoiceServer;
  readonly receiver: Receiver;
  /** What the application answered, request by request. */
  readonly answered: { readonly stateCode: string; readonly status: number; readonly at: Date }[];
  readonly logouts: Logouts;
  readonly refreshTokens: RefreshTokens;
  readonly cast: Cast;
  /** Alliance whose corporations are registered by nobody but the jobs. */
  readonly unregistered: number;
  /** Corporation one of whose members lets us read who its members are. */
  readonly listed: number;
  /** The application token that the events belong to. */
  readonly dyn: string;
  readonly random: () => number;
  stop(): Promise<void>;
}

/** A registry of some hundred characters, the outside world that it is kept true to, and an application. */
export async function setStage(seed: number, keys: Readonly<Record<string, string>>): Promise<Stage> {
  const random = sequence(seed);
  const voice = await startSimulatedVoiceServer();
  const adopted = voice.world.addGroup('Adopted');
  const app = await startTestApp({
    provider: { ...WORLD, seed },
    env: {
      ...keys,
      VOICE_URL: voice.url,
      VOICE_GROUPS: `${VOICE_GROUPS.made},${VOICE_GROUPS.adopted}=${adopted}`,
    },
  });
  for (const group of RATE_GROUPS) app.provider.setRateLimit(group, 1_000_000);
  const { world } = app.provider;
  const [first = 0, , unregistered = 0] = world.alliances.map(({ id }) => id);
  const registered = world.corporations.filter(({ npc, allianceId }) => !npc && allianceId !== unregistered);
  await letIn(app, {
    alliances: world.alliances.map(({ id }) => id),
    corporations: registered.map(({ id }) => id),
  });
  const home = world.corporationsOf(first);
  const listed = home.at(-1) ?? 0;
  const followed = home.filter((id) => id !== listed);
  const others = registered.filter(({ id }) => !home.includes(id));
  const steady = followed.flatMap((id) => world.membersOf(id));
  const movers = others.flatMap(({ id }) => world.membersOf(id));
  await addUsers(app, [...steady, ...movers]);
  const sold = steady.splice(-8);
  for (const id of steady) await grant(app, id, ALL);
  for (const id of sold) await grant(app, id, ONE_SCOPE);
  await grant(app, world.corporation(listed)?.ceoId ?? 0, [MEMBERSHIP]);
  await fillVoiceServer(app, voice, [...steady.slice(0, 40), ...movers.slice(0, 30)]);

  const answered: Stage['answered'] = [];
  const receiver = await startReceiver();
  const taken = new Set<string>();
  receiver.answer = (response) => {
    const stateCode = receiver.received.at(-1)?.query.get('state_code') ?? '';
    const status = taken.has(stateCode) || random() > 0.4 ? 204 : 503;
    if (status === 204) taken.add(stateCode);
    answered.push({ stateCode, status, at: new Date() });
    response.writeHead(status).end();
  };
  const logouts = await startLogouts(app, random);
  const dyn = await makeToken(app, 'dyn', 0, uuidOf(app.root));
  await app.db
    .updateTable('tokens')
    .set({ callback: receiver.callback })
    .where('uuid', '=', dyn.uuid)
    .execute();
  return {
    app,
    voice,
    receiver,
    answered,
    logouts,
    refreshTokens: createRefreshTokens(app.app.services.settings.sso.clientSecret, seed),
    cast: { steady, movers, sold },
    unregistered,
    listed,
    dyn: dyn.uuid,
    random,
    async stop() {
      await app.stop();
      await voice.stop();
      await receiver.stop();
      await logouts.receiver.stop();
    },
  };
}

async function grant(app: TestApp, characterId: number, scopes: readonly ExtScope[]): Promise<void> {
  await addGrants(app, 1, scopes, characterId - FIRST_CHARACTER_ID);
}

async function addUsers(app: TestApp, ids: readonly number[]): Promise<void> {
  const rows = ids.map((id) => {
    const character = app.provider.world.character(id);
    const name = character?.name ?? '';
    return { id, name, key: nameKey(name), corporation: character?.corporationId };
  });
  await sql`
    insert into users (character_id, character_name, name_key, corporation_id)
    select id, name, key, corporation from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as given(id bigint, name text, key text, corporation bigint)
    on conflict do nothing`.execute(app.db);
}

async function fillVoiceServer(
  app: TestApp,
  voice: SimulatedVoiceServer,
  ids: readonly number[],
): Promise<void> {
  for (const id of ids) await addIdentity(app, voice, id);
  await addGroup(
    app,
    VOICE_GROUPS.made,
    'Scouts',
    ids.filter((id) => id % 2 === 0),
  );
  await addGroup(
    app,
    VOICE_GROUPS.adopted,
    'Commanders',
    ids.filter((id) => id % 3 === 0),
  );
}

/** A sign-in of somebody at the application, by what it leaves behind: a token, and the event in its transaction. */
export async function signInAt(
  { app, dyn }: Pick<Stage, 'app' | 'dyn'>,
  characterId: number,
): Promise<string> {
  const { keys, queue } = app.app.services;
  const [token, stateCode] = [randomUUID(), randomUUID()];
  await app.db.transaction().execute(async (tx) => {
    await tx
      .insertInto('tokens')
      .values({
        uuid: token,
        token_type: 'use',
        owner_id: characterId,
        parent: dyn,
        app_token: dyn,
        kid: keys.currentKid,
        callback: null,
        comments: null,
        created_on: new Date(),
        expires_on: new Date(Date.now() + 86_400_000),
      })
      .execute();
    await queue.send(tx, 'deliver-sign-in', { token, state_code: stateCode, attempt: 0 });
  });
  return stateCode;
}
