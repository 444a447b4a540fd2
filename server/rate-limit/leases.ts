import type { Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Database } from '../database/tables.ts';
import type { Clock } from '../shared/clock.ts';
import { alone, firstSize, type Held, isOpen, nextSize } from './leased-block.ts';
import { type Block, deleteOver, giveBack, takeBlocks, type Unused, type Want } from './windows.queries.ts';

/** What is left for a key in its window. */
export interface Quota {
  readonly allowed: boolean;
  readonly limit: number;
  /** Requests left in the window, as far as this process knows. */
  readonly remaining: number;
  /** End of the window, in milliseconds since the epoch. */
  readonly endsAt: number;
}

/** Rate limit windows shared by all processes: each process counts against blocks that it leases from PostgreSQL. */
export interface Leases {
  /** Counts one request: synchronously while the leased block lasts, else after leasing another one. Never rejects. */
  take(key: string, most: number): Quota | Promise<Quota>;
  /** Takes back the count of one request, unless its window has ended. */
  untake(key: string, quota: Quota): void;
  /** Stops the maintenance timer; leased requests are lost until their windows end. */
  close(): void;
}

export interface LeaseServices {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn' | 'debug'>;
}

const ASK_AGAIN_MILLIS = 1_000;
/** Milliseconds without use after which a large block is returned. */
const IDLE_MILLIS = 2_000;
/** Milliseconds for which a process counts alone after PostgreSQL failed, before it asks again. */
const ALONE_MILLIS = 5_000;

/**
 * @param keys maximum number of keys in memory (LRU); the block of an evicted key is lost until its window ends
 */
export function createLeases({ db, clock, log }: LeaseServices, keys: number): Leases {
  const held = new LRUCache<string, Held>({ max: keys });
  /** Keys with a block large enough to be returned when idle. */
  const large = new Set<string>();
  let waiting = new Map<string, { readonly most: number; readonly requests: number }>();
  let running = Promise.resolve();
  let next: Promise<void> | undefined;
  let aloneUntil = 0;
  let leased = 0;
  let tending: NodeJS.Timeout | undefined;
  let closed = false;

  function take(key: string, most: number): Quota | Promise<Quota> {
    const now = clock.now().getTime();
    const block = openBlock(key, now);
    if (block !== undefined) {
      const { free, endsAt } = block;
      if (block.left > 0) {
        block.left -= 1;
        block.used = true;
        return { allowed: true, limit: most, remaining: block.left + free, endsAt };
      }
      if (now < block.askAgainAt) return { allowed: false, limit: most, remaining: 0, endsAt };
    }
    return ask(key, most).then(() => take(key, most));
  }

  function untake(key: string, { endsAt }: Quota): void {
    const block = openBlock(key, clock.now().getTime());
    if (block?.endsAt === endsAt) block.left += 1;
  }

  function openBlock(key: string, now: number): Held | undefined {
    const block = held.get(key);
    return block !== undefined && isOpen(block, now) ? block : undefined;
  }

  /**
   * Batches leases: one statement at a time for all keys that wait; requests that arrive while it runs join the next
   * one.
   */
  function ask(key: string, most: number): Promise<void> {
    waiting.set(key, { most, requests: (waiting.get(key)?.requests ?? 0) + 1 });
    next ??= running.then(() => {
      next = undefined;
      running = lease();
      return running;
    });
    return next;
  }

  async function lease(): Promise<void> {
    const now = clock.now();
    const wants = [...waiting].flatMap(([key, { most, requests }]) => {
      const block = openBlock(key, now.getTime());
      // Requests that arrived while a block was being leased may be covered by it.
      const missing = requests - (block?.left ?? 0);
      return missing <= 0 ? [] : [{ key, most, wanted: Math.max(missing, nextSize(block, most)) }];
    });
    waiting = new Map();
    if (wants.length === 0 || (await share(wants, now))) return;
    for (const { key, most } of wants) {
      held.set(key, alone(most, aloneUntil));
      // Nobody leased it: given back as idle, it would refuse everything until it ends.
      large.delete(key);
    }
  }

  /** Leases the blocks; false when the process has to count alone. */
  async function share(wants: readonly Want[], now: Date): Promise<boolean> {
    const aloneFor = aloneUntil - now.getTime();
    // The upper bound guards against a clock that was set back.
    if (aloneFor > 0 && aloneFor <= ALONE_MILLIS) return false;
    try {
      for (const block of await takeBlocks(db, wants, now)) hold(block, now.getTime());
    } catch (error) {
      if (aloneUntil === 0)
        log.warn({ err: error }, 'rate limits cannot be shared, each process counts alone');
      // Counted from now, because the statement may have taken half a minute to fail.
      aloneUntil = clock.now().getTime() + ALONE_MILLIS;
      return false;
    }
    if (aloneUntil > 0) log.info('rate limits are shared with the other processes again');
    aloneUntil = 0;
    leased += wants.length;
    tendLater();
    return true;
  }

  function hold({ key, most, granted, free, ends_on }: Block, now: number): void {
    const endsAt = ends_on.getTime();
    const former = held.peek(key);
    const left = granted + (former?.endsAt === endsAt ? former.left : 0);
    const askAgainAt = granted === 0 ? now + ASK_AGAIN_MILLIS : 0;
    held.set(key, { most, granted, free, endsAt, askAgainAt, left, used: true });
    if (granted > firstSize(most)) large.add(key);
  }

  function tendLater(): void {
    if (!closed) tending ??= setTimeout(() => void tend(), IDLE_MILLIS).unref();
  }

  /** Returns idle blocks and deletes twice as many old windows as blocks were leased, so that the table stays small. */
  async function tend(): Promise<void> {
    const now = clock.now();
    const unused = takeIdle(now.getTime());
    const over = 2 * leased;
    leased = 0;
    try {
      if (unused.length > 0) await giveBack(db, unused);
      if (over > 0) await deleteOver(db, now, over);
    } catch (error) {
      // Only debug level: the next attempt to lease a block logs a warning.
      log.debug({ err: error }, 'old rate limit windows could not be deleted');
    }
    tending = undefined;
    if (large.size > 0) tendLater();
  }

  function takeIdle(now: number): Unused[] {
    const unused: Unused[] = [];
    for (const key of large) {
      const block = openBlock(key, now);
      if (block === undefined || block.left <= firstSize(block.most)) large.delete(key);
      else if (block.used) block.used = false;
      else {
        unused.push({ key, requests: block.left, endsOn: new Date(block.endsAt) });
        block.left = 0;
        large.delete(key);
      }
    }
    return unused;
  }

  return {
    take,
    untake,
    close() {
      closed = true;
      clearTimeout(tending);
    },
  };
}
