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

/** Timeouts in milliseconds. */
export interface VoiceLimits {
  /** From connecting to the end of the greeting. */
  readonly connect: number;
  /** From a command to the end of its answer. */
  readonly command: number;
  /** For the whole connection. */
  readonly total: number;
}

export interface VoiceConnection {
  /**
   * Sends a command and waits for its answer; waits and sends it again when the server reports flooding.
   *
   * @throws VoiceError `refused` when the server answers with an error; after any other fault the connection is closed
   */
  command(name: string, ...sets: readonly Parameters[]): Promise<Row[]>;
  /** Sends `quit` if the connection is open, then closes it. Never throws. */
  close(): Promise<void>;
}

export interface ConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly limits: VoiceLimits;
  /** Undefined when the server's flood limit does not apply. */
  readonly floodLimit: FloodLimit | undefined;
  /** For jobs: fails without connecting while the server has banned us, and leaves some of the flood limit to requests. */
  readonly canWait?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Maximum bytes of a line: enough for a list of 80,000 members. */
const LONGEST_LINE = 1_048_576;
/** Maximum attempts of a command that the server is too busy for. */
const TRIES = 3;
/** Milliseconds for sending `quit`. */
const QUIT_WITHIN = 500;
/** Seconds of a ban whose length the server does not tell. */
const USUAL_BAN = 60;

/** Consumes one line; returns the result, or undefined when more lines are needed. */
type Take<T> = (line: string) => T | undefined;

/** Connects and waits for the greeting. A connection cannot be used again after a failure. */
export async function openConnection(options: ConnectionOptions): Promise<VoiceConnection> {
  const { host, port, limits, floodLimit, canWait = false, signal } = options;
  if (signal?.aborted) throw stopped();
  if (canWait) floodLimit?.stayAway();
  const socket = connect({ host, port, noDelay: true });
  const transport = openTransport(socket, limits.total, signal, (text) => unasked(text, floodLimit));
  try {
    await transport.exchange('the greeting', limits.connect, greeting(floodLimit));
  } catch (error) {
    await transport.hangUp();
    throw error;
  }
  return {
    async command(name, ...sets) {
      for (let tries = 1; ; tries += 1) {
        await floodLimit
          ?.waitToSend(canWait, transport.ended)
          .catch((error: unknown) => transport.rethrow(error));
        transport.write(encodeCommand(name, ...sets));
        const answer = await transport.exchange(`the answer to ${name}`, limits.command, collect());
        const refusal = refusalOf(name, answer.outcome, floodLimit);
        if (refusal === undefined) return answer.data === undefined ? [] : parseRows(answer.data);
        if (refusal.kind === 'flooding' && floodLimit !== undefined && tries < TRIES) continue;
        if (refusal.kind !== 'refused') transport.fail(refusal);
        throw refusal;
      }
    },
    async close() {
      floodLimit?.count();
      await transport.hangUp('quit');
    },
  };
}

/** Reads the greeting: `TS3` and a line of welcome, or an error such as a ban. */
function greeting(floodLimit: FloodLimit | undefined): Take<true> {
  let named = false;
  return (line) => {
    const outcome = parseOutcome(line);
    if (outcome !== undefined) throw refusalOf('connecting', outcome, floodLimit) ?? notServerQuery();
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

/** Reads an answer: at most one line of data, then the outcome. */
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

function refusalOf(
  what: string,
  { id, message, wait }: Outcome,
  floodLimit?: FloodLimit,
): VoiceError | undefined {
  switch (id) {
    case ERROR_IDS.ok:
      return undefined;
    case ERROR_IDS.flooding:
      floodLimit?.rest((wait ?? 1) * 1000);
      return new VoiceError('flooding', `${what}: told to send less`, id);
    case ERROR_IDS.bannedAtConnect:
    case ERROR_IDS.floodBan:
      floodLimit?.shutOut((wait ?? USUAL_BAN) * 1000);
      return new VoiceError('banned', `${what}: shut out for ${wait ?? 'some'} s`, id);
    default:
      return new VoiceError('refused', `${what}: ${message} (${id})`, id);
  }
}

/** The failure of a line that nobody waits for: a ban is told after the welcome. */
function unasked(line: string, floodLimit: FloodLimit | undefined): VoiceError {
  const outcome = parseOutcome(line);
  const refusal = outcome && refusalOf('connecting', outcome, floodLimit);
  if (refusal?.kind === 'banned') return refusal;
  return new VoiceError('unintelligible', 'a line came that nobody asked for');
}

/** An event, which servers send between the lines of answers. */
const EVENT = /^notify[a-z]+ /;
const LINE_END = Buffer.from('\n');

interface Transport {
  /** Aborted when the connection is closed. */
  readonly ended: AbortSignal;
  write(command: string): void;
  exchange<T>(what: string, within: number, take: Take<T>): Promise<T>;
  fail(error: VoiceError): void;
  /** Throws the reason why the connection was closed, if it was, else the error. */
  rethrow(error: unknown): never;
  hangUp(goodbye?: string): Promise<void>;
}

/** Reads the socket line by line. The first failure destroys it and is reported to all callers. */
function openTransport(
  socket: Socket,
  totalMillis: number,
  signal: AbortSignal | undefined,
  unexpected: (line: string) => VoiceError,
): Transport {
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
  let isCut = false;
  const onLine = (line: string) => {
    if (EVENT.test(line)) return;
    if (waiting === undefined || isCut) throw unexpected(line);
    waiting.take(line);
  };
  const read = createLineReader(LONGEST_LINE, onLine);
  const stop = () => fail(stopped());
  const overall = Number.isFinite(totalMillis)
    ? setTimeout(() => fail(new VoiceError('timeout', `not done within ${totalMillis} ms`)), totalMillis)
    : undefined;

  signal?.addEventListener('abort', stop, { once: true });
  const take = (chunk: Buffer) => {
    if (leaving) return;
    try {
      read(chunk);
    } catch (error) {
      if (!isCut || (error as VoiceError).kind === 'banned') fail(error as VoiceError);
    }
  };
  socket.on('data', take);
  // The line that tells of a ban may lack its end; any other one was cut off.
  socket.on('end', () => {
    isCut = true;
    take(LINE_END);
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
