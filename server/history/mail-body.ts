import { z } from 'zod';
import type { BudgetAccount } from '../provider/budget-account.ts';
import { ProviderError } from '../provider/http.ts';
import { giveUpBody, saveBody } from './mail.queries.ts';
import { toPlainText } from './mail-text.ts';
import type { HistoryServices } from './source.ts';

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
