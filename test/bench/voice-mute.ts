/**
 * What a voice server that answers nothing costs those who do not want anything of it: GET /token while completions
 * of voice challenges wait for it, and while none does, in alternation, at the same service.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { request } from 'undici';
import { connect } from '../../server/database/connection.ts';
import { createLog } from '../../server/observability/log.ts';
import { generateLoad, type Load, type Target } from './load.ts';
import { build, startDatabase, startProvider, startService } from './processes.ts';
import { median } from './report.ts';
import { productionSettings, startObserved } from './service.ts';
import { character } from './world.ts';

/** More than the service has connections to its database. */
const WAITING = 50;
const CONNECTIONS = 16;
const HOUR = 3_600_000;

export interface VoicePlan {
  readonly rounds: number;
  /** Seconds before each round, and of the round itself. */
  readonly warmUp: number;
  readonly seconds: number;
}

/** Starts what it needs and returns the report. */
export async function benchVoiceMute({ rounds, warmUp, seconds }: VoicePlan): Promise<string> {
  const closers: (() => Promise<void>)[] = [];
  try {
    const voice = await startMute();
    closers.push(voice.stop);
    const database = await startDatabase();
    closers.push(database.stop);
    const provider = await startProvider();
    closers.push(provider.stop);
    const env = {
      ...(await productionSettings(database.url, provider.settings)),
      VOICE_URL: voice.url,
      LOG_LEVEL: 'silent',
    };
    const { tokens, stop } = await startObserved(env);
    await stop();
    await challenge(database.url);
    build();
    const service = await startService(env, undefined);
    closers.push(service.stop);

    const target: Target = {
      origin: service.origin,
      headers: { authorization: `Bearer ${tokens.user}` },
      path: () => '/token',
    };
    const measure = async () => {
      await generateLoad(target, CONNECTIONS, warmUp);
      return generateLoad(target, CONNECTIONS, seconds);
    };
    const pairs: { waiting: Load; quiet: Load }[] = [];
    const answers: number[] = [];
    await generateLoad(target, CONNECTIONS, 5 * seconds);
    for (let round = 0; round < rounds; round += 1) {
      const quiet = await measure();
      const complete = completeUntilEnded(target);
      const waiting = await measure();
      answers.push(...(await complete.end()));
      pairs.push({ waiting, quiet });
    }
    if (answers.length < rounds * WAITING || answers.some((status) => status !== 502))
      throw new Error(`the completions were answered ${[...new Set(answers)].join(', ')}, not 502`);
    return report(pairs, answers.length);
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** A server that takes connections and says nothing. */
async function startMute() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `ts3query://bench:bench@127.0.0.1:${port}/?server_id=1`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A challenge of the caller that outlives the measurement. */
async function challenge(databaseUrl: string): Promise<void> {
  const { db, close } = connect({ url: databaseUrl, log: createLog('silent') });
  const now = new Date();
  await db
    .insertInto('voice_challenges')
    .values({
      character_id: character(0),
      nickname: 'NobodyBearsThisName0',
      expires_on: new Date(now.getTime() + HOUR),
    })
    .execute();
  await close();
}

/** So many completions at a time, each begun when another one is answered; ends with the statuses of all. */
function completeUntilEnded({ origin, headers }: Target) {
  let over = false;
  const statuses: number[] = [];
  const lanes = Array.from({ length: WAITING }, async () => {
    while (!over) {
      const { statusCode, body } = await request(`${origin}/voice/auth/complete`, {
        method: 'POST',
        headers,
      });
      await body.dump();
      statuses.push(statusCode);
    }
  });
  return {
    async end() {
      over = true;
      await Promise.all(lanes);
      return statuses;
    },
  };
}

function report(pairs: readonly { waiting: Load; quiet: Load }[], completions: number): string {
  const rate = ({ requests, seconds }: Load) => requests / seconds;
  const lines = [
    ['requests/s', rate],
    ['p50 ms', ({ p50 }: Load) => p50],
    ['p99 ms', ({ p99 }: Load) => p99],
  ] as const;
  const rows = lines.map(([name, of]) => {
    const waiting = median(pairs.map((pair) => of(pair.waiting)));
    const quiet = median(pairs.map((pair) => of(pair.quiet)));
    const ratios = pairs.map((pair) => of(pair.waiting) / of(pair.quiet));
    const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
    return `${name.padEnd(12)}${waiting.toFixed(2).padStart(10)}${quiet.toFixed(2).padStart(10)}  ratio ${(waiting / quiet).toFixed(2)} (${range})`;
  });
  const heading = `GET /token while ${WAITING} completions wait for a mute voice server (${completions} answered 502), and while none does`;
  return `${[heading, ...rows].join('\n')}\n`;
}
