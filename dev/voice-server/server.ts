import { type AddressInfo, createServer, type Socket } from 'node:net';
import { sendFaulty, type VoiceMoment, type VoiceServerFault } from './faults.ts';
import { createLineCutter, parseCommand } from './query.ts';
import { encodeAnswer, runCommand, type VoiceAnswer, type VoiceSession, VoiceWorld } from './world.ts';

export interface SimulatedVoiceServerOptions {
  /** 0, the default: any free port. */
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  /** Commands in 3 s from one address; absent: as many as anybody likes, as for an address in the allowlist. */
  readonly floodLimit?: number;
}

export interface SimulatedVoiceServer {
  /** For VOICE_URL. */
  readonly url: string;
  readonly world: VoiceWorld;
  /** Connections at this moment. */
  readonly open: number;
  /** Connections so far. */
  readonly connections: number;
  /** Names of the commands so far. */
  readonly commands: readonly string[];
  /** Answers that refused a command for flooding, or shut somebody out for it. */
  readonly floods: number;
  /** Which fault strikes; undefined, the default: none. */
  strike: (moment: VoiceMoment) => VoiceServerFault | undefined;
  /** Closes every connection at once. */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const GREETING =
  'TS3\n\rWelcome to the TeamSpeak 3 ServerQuery interface, type "help" for a list of commands and "help <command>" for information on a specific command.\n\r';
const FLOOD_WINDOW = 3_000;
/** Number of refused commands after which the address is banned. */
const PATIENCE = 5;
const BAN_SECONDS = 600;

/** A stand-in for the voice server's query port: ServerQuery, raw, byte for byte (provider.md §3). */
export async function startSimulatedVoiceServer(
  options: SimulatedVoiceServerOptions = {},
): Promise<SimulatedVoiceServer> {
  const { user = 'serveradmin', password = 'simulated', floodLimit = Number.POSITIVE_INFINITY } = options;
  const world = new VoiceWorld();
  const sockets = new Set<Socket>();
  const commands: string[] = [];
  let connections = 0;
  let moments = 0;
  const flood = createFlood(floodLimit);

  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // Errors of connections are ignored: clients under test may reset them.
    socket.on('error', () => undefined);
    const send = (at: string, produce: () => string) => {
      const fault = simulated.strike({ at, nth: moments++ });
      if (fault !== undefined) void sendFaulty(socket, fault, produce);
      else if (at === 'quit') socket.end(produce());
      else socket.write(produce());
    };
    if (flood.isShutOut()) {
      socket.end(encodeAnswer(flood.shutOut(3329)));
      return;
    }
    send('connect', () => GREETING);
    const clid = world.nextClid();
    const session: VoiceSession = { loggedIn: false, serverId: 0, clid, nickname: `${user} from ${HOST}` };
    const read = createLineCutter(65_536, (line) => {
      const command = parseCommand(line);
      const { name } = command;
      commands.push(name);
      if (name === 'quit') {
        send(name, () => encodeAnswer({ id: 0 }));
        return;
      }
      const refused = flood.count();
      if (refused !== undefined) {
        socket.write(encodeAnswer(refused));
        if (refused.id === 3331) socket.end();
        return;
      }
      send(name, () => encodeAnswer(runCommand(world, session, { user, password }, command)));
    });
    socket.setEncoding('utf8').on('data', (text: string) => {
      try {
        read(text);
      } catch {
        socket.destroy();
      }
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, HOST, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const credentials = [user, password].map(encodeURIComponent).join(':');
  const allowlisted = floodLimit === Number.POSITIVE_INFINITY ? '&allowlisted=true' : '';
  const simulated: SimulatedVoiceServer = {
    url: `ts3query://${credentials}@${HOST}:${port}/?server_id=1${allowlisted}`,
    world,
    commands,
    get open() {
      return sockets.size;
    },
    get connections() {
      return connections;
    },
    get floods() {
      return flood.refusals;
    },
    strike: () => undefined,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return simulated;
}

/** What the server remembers of our address. */
function createFlood(limit: number) {
  let times: number[] = [];
  let patience = PATIENCE;
  let refusals = 0;
  let shutOutUntil = 0;
  const shutOut = (id: 3329 | 3331): VoiceAnswer => {
    refusals += 1;
    const seconds = Math.ceil((shutOutUntil - performance.now()) / 1000);
    return { id, extra: `you may retry in ${seconds} seconds` };
  };
  return {
    get refusals() {
      return refusals;
    },
    isShutOut: () => performance.now() < shutOutUntil,
    shutOut,
    /** Counts a command; returns the refusal when it exceeds the limit. */
    count(): VoiceAnswer | undefined {
      const now = performance.now();
      times = [...times.filter((time) => time > now - FLOOD_WINDOW), now];
      if (times.length <= limit) {
        patience = PATIENCE;
        return undefined;
      }
      patience -= 1;
      if (patience > 0) {
        refusals += 1;
        return { id: 524, extra: 'please wait 3 seconds' };
      }
      shutOutUntil = now + BAN_SECONDS * 1000;
      return shutOut(3331);
    },
  };
}
