import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import { z } from 'zod';
import { EXT_SCOPES } from '../../contract/scopes.ts';
import type { Database } from '../database/tables.ts';
import type { Outages } from '../observability/outages.ts';
import { CLOCKS_APART, type Clock } from '../shared/clock.ts';
import { singleFlight } from '../shared/single-flight.ts';
import { waitAtMost } from '../shared/wait-at-most.ts';
import { claimDocument, findDocument, findNewerDocument, saveDocument } from './document.queries.ts';
import { parseDocument } from './document.ts';
import { type Limits, ProviderError } from './http.ts';
import {
  createDocument,
  type DocumentStore,
  type ProviderDocument,
  type ProviderOperation,
} from './operations.ts';
import { SEPARATORS } from './query.ts';
import type { SendWithinLimits } from './send-within-limits.ts';

const HOUR = 3_600_000;
/** Milliseconds after which the document is fetched again (D31). */
const GOOD_FOR = 24 * HOUR;
/** Milliseconds between two attempts, over all processes. */
const ASK_AGAIN = 10 * 60_000;
/** Milliseconds between two checks for a document that another process has stored. */
const LOOK_AGAIN = 60_000;
/** Milliseconds between attempts at the start, while there is no copy: first and maximum. */
const FIRST_PAUSE = 2_000;
const LONGEST_PAUSE = 300_000;
/** Milliseconds for which a failure without a copy is the answer to everybody. */
const FAILED_FOR = 30_000;
/** Milliseconds for which a stop waits for work in the background. */
const STOP_WITHIN = 1000;

/** The dependency's name in the log. */
const SUBJECT = "the provider's document";

const Operations = z.array(
  z.object({
    method: z.string(),
    template: z.string(),
    integers: z.array(z.string()),
    query: z.array(z.string()),
    /** Processes of a former release store none, and joined all lists by commas. */
    lists: z.array(z.object({ name: z.string(), separator: z.enum(SEPARATORS) })).default([]),
    scope: z.enum(EXT_SCOPES).nullable(),
    rateGroup: z.object({ name: z.string(), maxTokens: z.number(), windowSeconds: z.number() }).nullable(),
    paged: z.boolean(),
    cacheSeconds: z.number().nullable(),
    /** See {@link sourceOf}; processes of a former release store none. */
    source: z.string().optional(),
  }),
);

interface Copy {
  readonly document: ProviderDocument;
  readonly fetchedOn: Date;
}

/** When a copy of another source, or of the future, counts as fetched: it serves until there is another one. */
const LONG_AGO = new Date(0);

/** Changed with what is kept of a document: what a process of a former release has stored is renewed. */
const FORM = 'lists';

/** What the operations depend on: processes for which it differs read other operations. */
function sourceOf(...settings: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([...settings, EXT_SCOPES, FORM]))
    .digest('base64url');
}

/** The store with the methods that only this folder and the app use. */
export interface LiveDocumentStore extends DocumentStore {
  /** The document in this process's memory. */
  known(): ProviderDocument | undefined;
  /** Loads the document in the background, with retries until it succeeds or `stop` is called. */
  start(): void;
  stop(): Promise<void>;
}

export function createDocumentStore(services: {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly outages: Outages;
  readonly sendWithinLimits: SendWithinLimits;
  readonly headers: Readonly<Record<string, string>>;
  readonly specUrl: string;
  readonly compatibilityDate: string;
  readonly scopePrefix: string;
  /** Limits of one attempt. */
  readonly limits: Limits;
}): LiveDocumentStore {
  const { db, clock, log, outages, sendWithinLimits, headers, specUrl, scopePrefix, limits } = services;
  const source = sourceOf(specUrl, services.compatibilityDate, scopePrefix);
  const stopping = new AbortController();
  const background = new Set<Promise<void>>();
  let copy: Copy | undefined;
  let lookedAt = 0;
  let failed: { readonly error: ProviderError; readonly until: number } | undefined;

  async function fetchDocument(): Promise<ProviderDocument> {
    const label = 'its own document';
    const answer = await sendWithinLimits(
      {
        url: specUrl,
        headers,
        on: 'service',
        operation: undefined,
        label,
        characterId: 0,
        bytes: limits.bytes,
      },
      performance.now() + limits.milliseconds,
    );
    const { operations, skipped } = parseDocument(answer.data, scopePrefix);
    if (skipped.length > 0) log.warn({ skipped }, "operations of the provider's document cannot be used");
    const now = clock.now();
    await saveDocument(
      db,
      operations.map((operation) => ({ ...operation, source })),
      now,
    );
    return storeCopy(operations, now);
  }

  function storeCopy(operations: readonly ProviderOperation[], fetchedOn: Date): ProviderDocument {
    copy = { document: createDocument(operations), fetchedOn };
    outages.worked(SUBJECT);
    return copy.document;
  }

  const fetchOnce = singleFlight(fetchDocument);

  function believed({ fetchedOn }: Copy): Date {
    return fetchedOn.getTime() > clock.now().getTime() + CLOCKS_APART ? LONG_AGO : fetchedOn;
  }

  function isOld(known: Copy): boolean {
    return clock.now().getTime() - believed(known).getTime() > GOOD_FOR;
  }

  /**
   * Reads the stored document if it is newer than the copy in memory, which one of another source never is; one that
   * cannot be parsed is ignored.
   */
  async function look(): Promise<void> {
    lookedAt = performance.now();
    const stored = await (copy === undefined
      ? findDocument(db)
      : findNewerDocument(db, source, believed(copy)));
    const parsed = Operations.safeParse(stored?.operations);
    if (stored === undefined || !parsed.success) return;
    const isOwn = parsed.data.every((operation) => operation.source === source);
    storeCopy(parsed.data, isOwn ? stored.fetched_on : LONG_AGO);
  }

  async function load(): Promise<ProviderDocument> {
    await look();
    if (copy === undefined) return fetchOnce();
    if (isOld(copy)) inBackground(renew());
    return copy.document;
  }

  const loadOnce = singleFlight(() =>
    load().catch((error: unknown) => {
      if (error instanceof ProviderError) failed = { error, until: performance.now() + FAILED_FOR };
      throw error;
    }),
  );

  /** Refreshes the document in the background. */
  async function renew(): Promise<void> {
    try {
      await look();
      if (copy !== undefined && !isOld(copy)) return;
      const now = clock.now();
      const before = (milliseconds: number) => new Date(now.getTime() - milliseconds);
      const claim = { from: source, now, olderThan: before(GOOD_FOR), askedBefore: before(ASK_AGAIN) };
      if (await claimDocument(db, claim)) await fetchOnce();
    } catch (error) {
      outages.failed(
        SUBJECT,
        { err: error },
        "the provider's document could not be renewed; the old one serves",
      );
    }
  }

  function inBackground(work: Promise<void>): void {
    const tracked = work.finally(() => background.delete(tracked));
    background.add(tracked);
  }

  async function loadSometime(): Promise<void> {
    for (let pause = FIRST_PAUSE; !stopping.signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        // It has its own pauses, whatever failed for others.
        await (copy === undefined ? loadOnce() : store.current());
        // One of another source only serves until there is the right one.
        if (copy !== undefined && !isOld(copy)) return;
      } catch (error) {
        outages.failed(SUBJECT, { err: error }, "the provider's document could not be loaded; trying again");
      }
      await sleep(pause * (0.5 + Math.random()), undefined, { signal: stopping.signal, ref: false }).catch(
        () => undefined,
      );
    }
  }

  const store: LiveDocumentStore = {
    known: () => copy?.document,
    async current() {
      if (copy === undefined) {
        // Else every forwarded call would cause errors, and those at the expense of sign-in and jobs (D33).
        if (failed !== undefined && performance.now() < failed.until) throw failed.error;
        return loadOnce();
      }
      if (performance.now() - lookedAt > (isOld(copy) ? 1000 : LOOK_AGAIN)) inBackground(renew());
      return copy.document;
    },
    async refresh() {
      await fetchOnce();
    },
    start: () => inBackground(loadSometime()),
    async stop() {
      stopping.abort();
      // An unresponsive provider must not delay the stop.
      await waitAtMost(STOP_WITHIN, Promise.all(background));
    },
  };
  return store;
}
