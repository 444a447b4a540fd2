import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { BudgetAccount } from '../provider/error-budget.ts';
import { ProviderError, type ProviderFault } from '../provider/http.ts';
import { findBodiless, giveUpBody, saveBody } from './mail.queries.ts';
import { toPlainText } from './mail-text.ts';
import { type HistoryServices, PartsMissing } from './source.ts';

/** Texts fetched per run, so that a new mailbox does not use up its character's rate limit. */
const BODIES_PER_RUN = 100;
/** Texts that a run may fail to get from one mailbox: each is an error of the limit that all share (D33). */
const FAILURES_PER_RUN = 2;
/** Mailboxes by which a run asks in vain for a text that they share, as it mostly fails for all of them. */
const MAILBOXES_PER_TEXT = 2;

/** What the next text would fail for as well. */
const FOR_ALL: ReadonlySet<ProviderFault> = new Set(['exhausted', 'no-token']);

const Mail = z.object({ body: z.string().nullish() });

/**
 * Fetches a mail's text and stores it for every mailbox that contains the mail. If the character has deleted the mail
 * meanwhile, the text is empty and not requested again.
 *
 * @throws ProviderError
 */
export async function fetchBody(
  { db, client }: Pick<HistoryServices, 'db' | 'client'>,
  characterId: number,
  mailId: number,
  on: BudgetAccount,
): Promise<string> {
  const path = `/characters/${characterId}/mail/${mailId}`;
  const { status, data } = await client.ask({
    path,
    as: { characterId, scope: 'ext-mail.read_mail.v1' },
    on,
    optional: true,
  });
  if (status === 404) {
    await giveUpBody(db, characterId, mailId);
    return '';
  }
  const mail = Mail.safeParse(data);
  if (status !== 200 || !mail.success)
    throw new ProviderError('unusable', `the game's API gave an unusable answer (${status}) to ${path}`);
  const body = toPlainText(mail.data.body ?? '');
  await saveBody(db, mailId, body);
  return body;
}

/**
 * Fetches missing texts of a mailbox. One that the provider does not give is left for the next run, and keeps no other
 * waiting.
 *
 * @throws PartsMissing when nothing came after the first failure; any other ProviderError that concerns them all
 */
export async function fetchBodies(
  services: Pick<HistoryServices, 'db' | 'client' | 'texts'>,
  characterId: number,
): Promise<void> {
  const asked = services.texts ?? new Map<number, number>();
  const missing = await findBodiless(services.db, characterId, BODIES_PER_RUN);
  let failures = 0;
  let failure: ProviderError | undefined;
  let resumed = false;
  while (missing.length > 0 && failures < FAILURES_PER_RUN) {
    // Newest first; after a failure any, because the same few may fail in each run.
    const [mailId = 0] = missing.splice(failures === 0 ? 0 : randomInt(missing.length), 1);
    const before = asked.get(mailId) ?? 0;
    if (before >= MAILBOXES_PER_TEXT) continue;
    // Beforehand, as several turns are taken at once.
    asked.set(mailId, before + 1);
    try {
      await fetchBody(services, characterId, mailId, 'service');
      asked.delete(mailId);
      resumed ||= failures > 0;
    } catch (error) {
      if (!(error instanceof ProviderError) || FOR_ALL.has(error.fault)) throw error;
      failure = error;
      failures += 1;
    }
  }
  if (failure === undefined || resumed) return;
  const { fault, message, retryAfter } = failure;
  throw new PartsMissing(fault, message, { cause: failure, retryAfter: retryAfter ?? 0 });
}
