import type { Compliance } from '@castellan/sdk';
import { toCsv } from '../../shared/csv.ts';
import { t } from '../../text/text.ts';
import { reasonInWords, STATUSES } from './compliance-words.ts';

/** Compliance as CSV: a line for each character, those that never signed in last. */
export function complianceCsv({ persons, never_signed_in }: Compliance): string {
  return toCsv([
    [
      t('Person'),
      t('Character'),
      t('Character id'),
      t('Status'),
      t('Why'),
      t('Since'),
      t('Days'),
      t('Grace until'),
    ],
    ...persons.flatMap(({ main, characters }) =>
      characters.map(({ user, status, reason, missing_scopes, since, days, grace_until }) => [
        main?.character_name ?? '',
        user.character_name,
        user.character_id,
        t(STATUSES[status]),
        reasonInWords(reason, missing_scopes),
        since ?? '',
        days ?? '',
        grace_until ?? '',
      ]),
    ),
    ...never_signed_in.map(({ character_id, character_name }) => [
      '',
      character_name,
      character_id,
      t(STATUSES.never),
      '',
      '',
      '',
      '',
    ]),
  ]);
}
