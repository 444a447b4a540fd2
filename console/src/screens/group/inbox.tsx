import { applicationsAs } from '../../shared/known-listings.ts';
import { Screen } from '../../shared/screen.tsx';
import { t } from '../../text/text.ts';
import { Applications } from './applications.tsx';

/** The pending applications to all groups for which the user decides. */
export function Inbox() {
  return (
    <Screen title={t('Inbox')} lead={t('Who waits for an answer, in every group that you decide for.')}>
      <Applications of={applicationsAs('moderator')} empty={t('Nobody waits for an answer of yours.')} />
    </Screen>
  );
}
