import { connect, type Socket } from 'node:net';
import type { FloodLimit } from './flood-limit.ts';
import { createLineReader } from './line-reader.ts';
import {
  encodeCommand,
  type Outcome,
  type Parameters,
  parseOutcome,
  parseRows,
  type Row,
} from './protocol.ts';
import { ERROR_IDS, VoiceError } from './voice-error.ts';

/** Milliseconds. */
export interface VoiceLimits {
  /** From the connection's begin to the end of the greeting. */
  readonly connect: number;
  /** From a command to the end of its answer. */
  readonly command: number;
  /** For everything together. */
  readonly total: number;
}

export interface VoiceConnection {
  /**
   * Sends a command and waits for its answer; waits and sends it again when told to slow down.
   * @throws VoiceError `refused` where the server says no; after any other the connection is gone
   */
  command(name: string, ...sets: readonly Parameters[]): Promise<Row[]>;
  /** Says goodbye where anybody listens, then hangs up. Never throws. */
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly limits: VoiceLimits;
  /** Undefined: the server counts no commands of ours. */
  readonly pace: FloodLimit | undefined;
  /** Does not even connect while the server has shut us out: for work that can wait. */
  readonly stayAway?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An answer's one line: a list of 80,000 members has room, an endless one has not. */
const LONGEST_LINE = 1_048_576;
/** How often a command is sent that the server is too busy for. */
const TRIES = 3;
/** Milliseconds that a goodbye may take. */
const QUIT_WITHIN = 500;
/** Seconds, where the server does not say for how long it shuts us out. */
const USUAL_BAN = 60;

/** Takes one line; returns what the exchange comes to, or undefined where more must come. */
type Take<T> = (line: string) => T | undefined;

/** Connects and waits for the greeting. Used once: after a failure there is no way back. */
export async function openConnection(options: ConnectionOptions): Promise<VoiceConnection> {
  const { host, port, limits, pace, stayAway, signal } = options;
  if (signal?.aborted) throw stopped();
  if (stayAway) pace?.stayAway();
  const line = openLine(connect({ host, port, noDelay: true }), limits.total, signal);
  try {
    await line.exchange('the greeting', limits.connect, greeting(pace));
  } catch (error) {
    await line.hangUp();
    throw error;
  }
  return {
    async command(name, ...sets) {
      for (let tries = 1; ; tries += 1) {
        await pace?.turn(line.ended).catch((error: unknown) => line.rethrow(error));
        line.write(encodeCommand(name, ...sets));
        const answer = await line.exchange(`the answer to ${name}`, limits.command, collect());
        const refusal = refusalOf(name, answer.outcome, pace);
        if (refusal === undefined) return answer.data === undefined ? [] : parseRows(answer.data);
        if (refusal.kind === 'flooding' && pace !== undefined && tries < TRIES) continue;
        if (refusal.kind !== 'refused') line.fail(refusal);
        throw refusal;
      }
    },
    async close() {
      pace?.count();
      await line.hangUp('quit');
    },
  };
}

/** `TS3`, then a line of welcome; or what keeps us out. */
function greeting(pace: FloodLimit | undefined): Take<true> {
  let named = false;
  return (line) => {
    const outcome = parseOutcome(line);
    if (outcome !== undefined) throw refusalOf('connecting', outcome, pace) ?? notServerQuery();
    if (named) return true;
    if (line !== 'TS3') throw notServerQuery();
    named = true;
    return undefined;
  };
}

function notServerQuery(): VoiceError {
  return new VoiceError('unintelligible', 'what answers is not ServerQuery');
}

function stopped(): VoiceError {
  return new VoiceError('aborted', 'asked to stop');
}

interface CommandAnswer {
  readonly data: string | undefined;
  readonly outcome: Outcome;
}

/** At most one line of data, then the outcome. */
function collect(): Take<CommandAnswer> {
  let data: string | undefined;
  return (line) => {
    const outcome = parseOutcome(line);
    if (outcome !== undefined) return { data, outcome };
    if (data !== undefined) throw new VoiceError('unintelligible', 'an answer has a second line of data');
    data = line;
    return undefined;
  };
}

function refusalOf(what: string, { id, message, wait }: Outcome, pace?: FloodLimit): VoiceError | undefined {
  switch (id) {
    case ERROR_IDS.ok:
      return undefined;
    case ERROR_IDS.flooding:
      pace?.rest((wait ?? 1) * 1000);
      return new VoiceError('flooding', `${what}: told to send less`, id);
    case ERROR_IDS.bannedAtConnect:
    case ERROR_IDS.floodBan:
      pace?.shutOut((wait ?? USUAL_BAN) * 1000);
      return new VoiceError('banned', `${what}: shut out for ${wait ?? 'some'} s`, id);
    default:
      return new VoiceError('refused', `${what}: ${message} (${id})`, id);
  }
}

interface ReplyLine {
  /** Aborted when the connection is gone. */
  readonly ended: AbortSignal;
  write(command: string): void;
  exchange<T>(what: string, within: number, take: Take<T>): Promise<T>;
  fail(error: VoiceError): void;
  /** Throws why the connection is gone, where it is, else the error. */
  rethrow(error: unknown): never;
  hangUp(goodbye?: string): Promise<void>;
}

/** The socket, read line by line; the first failure destroys it and is what everybody gets to hear. */
function openLine(socket: Socket, totalMillis: number, signal: AbortSignal | undefined): ReplyLine {
  const ended = new AbortController();
  let failure: VoiceError | undefined;
  let leaving = false;
  let waiting: { readonly take: (line: string) => void; reject(error: VoiceError): void } | undefined;

  const fail = (error: VoiceError) => {
    failure ??= error;
    socket.destroy();
    ended.abort();
    waiting?.reject(failure);
    waiting = undefined;
  };
  const onLine = (line: string) => {
    if (waiting === undefined) throw new VoiceError('unintelligible', 'a line came that nobody asked for');
    waiting.take(line);
  };
  const read = createLineReader(LONGEST_LINE, onLine);
  const stop = () => fail(stopped());
  const overall = Number.isFinite(totalMillis)
    ? setTimeout(() => fail(new VoiceError('timeout', `not done within ${totalMillis} ms`)), totalMillis)
    : undefined;

  signal?.addEventListener('abort', stop, { once: true });
  socket.on('data', (chunk) => {
    if (leaving) return;
    try {
      read(chunk);
    } catch (error) {
      fail(error as VoiceError);
    }
  });
  socket.on('error', (error: NodeJS.ErrnoException) =>
    fail(new VoiceError('unreachable', `the connection failed: ${error.code ?? 'unknown'}`)),
  );
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      clearTimeout(overall);
      signal?.removeEventListener('abort', stop);
      fail(new VoiceError('closed', 'the voice server hung up'));
      resolve();
    });
  });

  return {
    ended: ended.signal,
    fail,
    write(command) {
      if (failure !== undefined) throw failure;
      socket.write(`${command}\n`);
    },
    exchange: (what, within, take) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) return reject(failure);
        const late = () => fail(new VoiceError('timeout', `${what} did not come within ${within} ms`));
        const timer = setTimeout(late, within);
        waiting = {
          take(line) {
            const result = take(line);
            if (result === undefined) return;
            clearTimeout(timer);
            waiting = undefined;
            resolve(result);
          },
          reject(error) {
            clearTimeout(timer);
            reject(error);
          },
        };
      }),
    rethrow(error) {
      throw failure ?? error;
    },
    async hangUp(goodbye) {
      if (failure === undefined && goodbye !== undefined) {
        leaving = true;
        socket.end(`${goodbye}\n`);
        const cut = setTimeout(() => socket.destroy(), QUIT_WITHIN);
        await closed;
        clearTimeout(cut);
      }
      socket.destroy();
      await closed;
    },
  };
}
