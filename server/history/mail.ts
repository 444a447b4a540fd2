import type { CharacterMail, CharacterMailShort } from '../../contract/history.ts';
import type { BudgetAccount } from '../provider/error-budget.ts';
import { notFound } from '../shared/domain-error.ts';
import { findMail, findMails } from './mail.queries.ts';
import { fetchBody } from './mail-body.ts';
import { type Page, toPage } from './page.ts';
import type { HistoryServices } from './source.ts';

/** One page of a character's mailbox, sent and received mails (D36b). */
export async function listMails(
  { db }: Pick<HistoryServices, 'db'>,
  characterId: number,
  page: number,
): Promise<Page<CharacterMailShort>> {
  return toPage(await findMails(db, characterId, page), page, (mail) => ({
    from_character: { character_id: mail.from_id, character_name: mail.from_name },
    mail_id: mail.mail_id,
    recipients: [...mail.recipients],
    subject: mail.subject,
    timestamp: mail.timestamp.toISOString(),
  }));
}

/** On whose account a text is fetched, and what judges that caller again. */
interface Reader {
  readonly on: BudgetAccount;
  readonly rejudge: () => Promise<unknown>;
}

/**
 * A mail of a character's mailbox with its text, which is fetched now if no job has fetched it yet; the reader is judged
 * again then, as that may take long (D20, D29b). 404 when the mail is not in this mailbox (D36b).
 *
 * @throws ProviderError
 */
export async function getMail(
  { db, client }: Pick<HistoryServices, 'db' | 'client'>,
  characterId: number,
  mailId: number,
  { on, rejudge }: Reader,
): Promise<CharacterMail> {
  const mail = await findMail(db, characterId, mailId);
  if (mail === undefined) throw notFound('mail', mailId);
  let { body } = mail;
  if (body === null && mail.wants_body) {
    body = await fetchBody({ db, client }, characterId, mailId, on);
    await rejudge();
  }
  return {
    body: body ?? '',
    from_id: mail.from_id,
    from_name: mail.from_name,
    mail_id: mail.mail_id,
    recipients: [...mail.recipients],
    subject: mail.subject,
    timestamp: mail.timestamp.toISOString(),
  };
}
