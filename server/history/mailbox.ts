import { z } from 'zod';
import { inTransaction } from '../database/transaction.ts';
import { usable } from '../provider/api.ts';
import { ProviderError } from '../provider/http.ts';
import {
  type End,
  findExtent,
  findKnown,
  insertIntoMailbox,
  insertMails,
  lockMailbox,
  type MailHeader,
  markComplete,
} from './mail.queries.ts';
import { fetchBodies } from './mail-body.ts';
import { type HistoryServices, id, PartsMissing, read, requireSubject, text } from './source.ts';
import type { Subject } from './subject.queries.ts';

type MailboxServices = Omit<HistoryServices, 'clock'>;

/** A time that PostgreSQL can store; an invalid one becomes the epoch. */
const moment = z
  .string()
  .datetime({ offset: true })
  .refine((time) => Date.parse(time) >= 0)
  .catch(new Date(0).toISOString());

const Recipient = z.object({ recipient_id: id, recipient_type: z.string().catch('') });

/**
 * All fields are optional at the provider (provider.md §2), and may be null; an odd one counts as missing, so that its
 * mail is kept. A mail without an id is dropped, one without a time is sorted as the oldest.
 */
const Header = z.object({
  mail_id: id.nullish(),
  from: id.catch(0),
  recipients: z
    .array(z.unknown())
    .catch([])
    .transform((recipients) => recipients.flatMap((one) => Recipient.safeParse(one).data ?? [])),
  subject: text.catch(''),
  timestamp: moment,
});
type Header = z.infer<typeof Header> & { readonly mail_id: number };

/**
 * Updates the stored mailbox of a character (D36b): first new mails, back to a known one; then, over as many runs as
 * needed, mails from before the first indexing; then missing texts. Each step is committed, so a later ProviderError
 * does not undo it.
 */
export async function indexMail(services: MailboxServices, characterId: number): Promise<void> {
  const subject = await requireSubject(services.db, characterId);
  const { oldest, complete } = await findExtent(services.db, characterId);
  const reached = await indexNew(services, subject, oldest);
  if (!complete && reached !== undefined) await indexOld(services, subject, reached);
  await fetchBodies(services, characterId);
}

/**
 * Indexes new mails in one transaction, so that no gap is left: down to a known mail, or the first page of a mailbox of
 * which nothing is known. Returns the oldest known mail; undefined when the provider has none.
 */
async function indexNew(
  services: MailboxServices,
  subject: Subject,
  oldest: number | null,
): Promise<number | undefined> {
  const found: Header[] = [];
  for (let before: number | undefined; ; before = oldestOf(found)) {
    const page =
      before === undefined ? await askHeaders(services, subject) : await askOlder(services, subject, before);
    if (before === undefined && page.length === 0) return undefined;
    const known = await findKnown(
      services.db,
      subject.character_id,
      page.map(({ mail_id }) => mail_id),
    );
    found.push(...page.filter(({ mail_id }) => !known.has(mail_id)));
    if (page.length === 0 || known.size > 0 || oldest === null) break;
  }
  await storeHeaders(services, subject, found, 'newest');
  return oldest ?? oldestOf(found);
}

/** Indexes older mails page by page. Each page is committed, so that an interrupted run is continued. */
async function indexOld(services: MailboxServices, subject: Subject, reached: number): Promise<void> {
  for (let before: number | undefined = reached; before !== undefined; ) {
    const page: Header[] = await askOlder(services, subject, before);
    await storeHeaders(services, subject, page, 'oldest');
    before = oldestOf(page);
  }
  await markComplete(services.db, subject);
}

function oldestOf(page: readonly Header[]): number | undefined {
  return page.reduce<number | undefined>(
    (oldest, { mail_id }) => (oldest === undefined || mail_id < oldest ? mail_id : oldest),
    undefined,
  );
}

/**
 * Up to 50 mails older than `before`; empty when there are none. As older mails are never requested again after that,
 * an empty answer is believed only if the provider repeats it and still returns the newest mails.
 */
async function askOlder(services: MailboxServices, subject: Subject, before: number): Promise<Header[]> {
  const page = await askHeaders(services, subject, before);
  if (page.length > 0) return page;
  const again = await askHeaders(services, subject, before, true);
  if (again.length > 0) return again;
  if ((await askHeaders(services, subject, undefined, true)).length > 0) return [];
  throw new ProviderError('unusable', `the mailbox of character ${subject.character_id} came out empty`);
}

/** Up to 50 mails older than `before`, or the newest; `anew` bypasses the cache. */
async function askHeaders(
  { client }: MailboxServices,
  { character_id: characterId }: Subject,
  before?: number,
  anew = false,
): Promise<Header[]> {
  const headers = await read(
    client,
    {
      path: `/characters/${characterId}/mail`,
      ...(before !== undefined && { query: [['last_mail_id', String(before)]] }),
      as: { characterId, scope: 'ext-mail.read_mail.v1' },
      on: 'service',
      anew,
    },
    usable(Header),
  );
  // A provider that returns the same mails again must not cause an endless loop.
  return headers.filter(
    (header): header is Header => header.mail_id != null && (before === undefined || header.mail_id < before),
  );
}

async function storeHeaders(
  services: MailboxServices,
  subject: Subject,
  headers: readonly Header[],
  end: End,
): Promise<void> {
  if (headers.length === 0) return;
  const mails = await withNames(services, headers);
  const ids = mails.map((mail) => mail.mail_id);
  await inTransaction(services.db, async (tx) => {
    if (!(await lockMailbox(tx, subject))) return;
    await insertMails(tx, mails);
    await insertIntoMailbox(tx, subject.character_id, ids, end);
  });
}

const MAILING_LIST = 'mailing_list';

/** Adds the present names of senders and recipients (D36). */
async function withNames({ names }: MailboxServices, headers: readonly Header[]): Promise<MailHeader[]> {
  const recipients = headers.flatMap((header) => header.recipients);
  const lists = new Set(
    recipients.filter((to) => to.recipient_type === MAILING_LIST).map((to) => to.recipient_id),
  );
  const others = [...headers.map(({ from }) => from), ...recipients.map((to) => to.recipient_id)];
  const {
    names: found,
    unasked,
    failure,
  } = await names.find(
    others.filter((other) => other !== 0 && !lists.has(other)),
    'service',
  );
  // Stored names are never corrected, so the next run goes on with the ids that the provider was not asked for.
  if (unasked > 0) throw failure ?? new PartsMissing('unusable', 'too many ids in a mailbox have no name');
  const nameOf = (named: number) =>
    lists.has(named) ? `Mailing list ${named}` : (found.get(named) ?? `#${named}`);
  return headers.map(
    (header): MailHeader => ({
      mail_id: header.mail_id,
      from_id: header.from,
      from_name: nameOf(header.from),
      recipients: header.recipients.map(({ recipient_id }) => ({
        recipient_id,
        recipient_name: nameOf(recipient_id),
      })),
      subject: header.subject,
      timestamp: new Date(header.timestamp),
    }),
  );
}
