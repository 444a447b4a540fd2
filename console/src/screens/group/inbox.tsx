import { useSuspenseQuery } from '@tanstack/react-query';
import { queries } from '../../session/api.ts';
import { Screen } from '../../shared/screen.tsx';
import { t } from '../../text/text.ts';
import { Applications } from './applications.tsx';

/** The pending applications to all groups for which the user decides. */
export function Inbox() {
  return (
    <Screen title={t('Inbox')} lead={t('Who waits for an answer, in every group that you decide for.')}>
      <Waiting />
    </Screen>
  );
}

function Waiting() {
  const { data } = useSuspenseQuery(queries.application.list({ query: { role: 'moderator' } }));
  return <Applications of={data} empty={t('Nobody waits for an answer of yours.')} />;
}
