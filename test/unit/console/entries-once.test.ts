import { expect, it } from 'vitest';
import { entriesOnce } from '../../../console/src/shared/entries-once.ts';

const mail = (mail_id: number, subject = 'Fleet') => ({ mail_id, subject });

it('External data rule 2: an entry that came onto the next page between two requests is listed once', () => {
  const pages = [{ entries: [mail(9), mail(8)] }, { entries: [mail(8), mail(7)] }];
  expect(entriesOnce(pages, ({ mail_id }) => mail_id)).toEqual([mail(9), mail(8), mail(7)]);
});
