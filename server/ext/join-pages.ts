import type { Readable } from 'node:stream';
import type { ProviderAnswer } from '../provider/answer.ts';
import type { ErrorAllowance } from '../provider/error-budget.ts';
import { ProviderError } from '../provider/http.ts';
import type { Services } from '../services/services.ts';
import { DomainError, invalid } from '../shared/domain-error.ts';
import { createFairSemaphore } from '../shared/fair-semaphore.ts';
import { type GiveWay, giveWay } from '../shared/give-way.ts';
import { holdSlot, SLOTS_PER_CALLER } from './caller-slots.ts';
import type { FieldsFrom } from './ext-params.ts';
import { FORWARDING_BUSY } from './forwarding-busy.ts';
import { createJoined, type Joined, MOST_PAGES } from './joined-answer.ts';
import { readAllPages } from './read-pages.ts';

/** Lists that one process reads concurrently. */
const READ_AT_ONCE = 8;
const PAGES_AT_ONCE = 8;
/** Timeout in milliseconds for reading all pages of one list, including the wait for a permit. */
const READ_WITHIN = 120_000;
/** Milliseconds that a page waits for a busy event loop before it is asked for. */
const GIVES_WAY = 10;
/** Bytes in temporary files of this process that wait for slow clients; above that the oldest answers are aborted. */
const WAITING_BYTES = 1024 * 1024 * 1024;
/** `Retry-After` in seconds for a caller with too many concurrent joined answers. */
const AGAIN_AFTER = 10;

interface JoinRequest {
  /** The caller whose slot is taken. */
  readonly caller: string;
  readonly from: FieldsFrom;
  readonly ask: (page: number, anew: boolean) => Promise<ProviderAnswer>;
  /** Errors that the pages may still cause. */
  readonly allowance: ErrorAllowance;
  /** Fetches names for the ids in the answer; absent when no names are requested. */
  readonly annotate: ((ids: readonly number[]) => Promise<Record<string, string>>) | undefined;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

type JoinedAnswer =
  | { readonly kind: 'single'; readonly answer: ProviderAnswer }
  | { readonly kind: 'stream'; readonly bytes: number; readonly stream: Readable };

/** Joins all pages of a list (D32) within the limits of D30: for one answer, one caller and this process. */
export type Joiner = (request: JoinRequest) => Promise<JoinedAnswer>;

export function createJoiner(
  { db, log }: Pick<Services, 'db' | 'log'>,
  { waitingBytes = WAITING_BYTES, wayFor = giveWay }: { waitingBytes?: number; wayFor?: GiveWay } = {},
): Joiner {
  const wait = { waitFor: READ_WITHIN / 2, crowded: FORWARDING_BUSY };
  const lists = createFairSemaphore({ most: READ_AT_ONCE, each: SLOTS_PER_CALLER, ...wait });
  const pages = createFairSemaphore({ most: PAGES_AT_ONCE, each: PAGES_AT_ONCE, ...wait });
  const waiting = new Map<Readable, number>();

  /** Frees disk space that waits for slow clients by aborting the oldest answers. */
  function makeRoom(): void {
    let bytes = [...waiting.values()].reduce((sum, size) => sum + size, 0);
    for (const [stream, size] of waiting) {
      if (bytes <= waitingBytes) return;
      stream.destroy(new Error('its client is too slow, and others need the room'));
      bytes -= size;
    }
  }

  async function read(request: JoinRequest, joined: Joined): Promise<JoinedAnswer> {
    const { caller, ask, allowance, annotate, signal } = request;
    const deadline = performance.now() + READ_WITHIN;
    const leave = await lists.enter(caller, () => signal);
    try {
      const askPage = async (page: number, anew: boolean) => {
        signal.throwIfAborted();
        const leavePage = await pages.enter(caller, () => signal);
        try {
          await wayFor(GIVES_WAY);
          if (performance.now() > deadline)
            throw new ProviderError('timeout', 'not all pages of a list came in time');
          return await ask(page, anew);
        } finally {
          leavePage();
        }
      };
      const all = await readAllPages(askPage, joined, allowance);
      if (all.kind === 'single') return all;
      const annotations = annotate === undefined ? {} : await annotate([...joined.ids]);
      return { kind: 'stream', ...joined.toStream(all.first, annotations) };
    } finally {
      leave();
    }
  }

  return async (request) => {
    const leave = await holdSlot(db, request.caller);
    if (leave === undefined) throw tooMany();
    const joined = createJoined({
      withIds: request.annotate !== undefined,
      tooLarge: (exceeded) => tooLarge(request.from, exceeded),
    });
    const end = async () => {
      await Promise.all([joined.close(), leave()]);
    };
    const answer = await read(request, joined).catch(async (error: unknown) => {
      await end();
      throw error;
    });
    if (answer.kind === 'single') {
      await end();
      return answer;
    }
    const { stream, bytes } = answer;
    waiting.set(stream, bytes);
    stream.once('error', (error) => log.warn({ err: error }, 'a joined answer is broken off'));
    stream.once('close', () => {
      waiting.delete(stream);
      end().catch((error: unknown) =>
        log.error({ err: error }, 'the temporary file of a joined answer could not be closed'),
      );
    });
    makeRoom();
    return answer;
  };
}

function tooMany(): DomainError {
  const detail = `You have ${SLOTS_PER_CALLER} joined answers at work already: wait for one of them.`;
  return new DomainError('too_many_joined_answers', detail, { retryAfter: AGAIN_AFTER });
}

function tooLarge(from: FieldsFrom, exceeded: 'pages' | 'bytes'): DomainError {
  const what = exceeded === 'pages' ? `${MOST_PAGES} pages` : '64 MiB';
  return invalid(
    [from, 'all_pages'],
    `The joined answer would have more than ${what}: ask for its pages one by one, with the parameter page`,
  );
}
