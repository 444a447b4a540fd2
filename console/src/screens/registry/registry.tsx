import { Screen } from '../../shared/screen.tsx';
import { Parts } from '../../shared/tabs.tsx';
import { t } from '../../text/text.ts';
import { Alliances, Coalitions, Corporations } from './lists.tsx';

/** The registered alliances, corporations and coalitions. */
export function Registry() {
  const kinds = [
    { value: 'alliances', label: t('Alliances'), part: <Alliances /> },
    { value: 'corporations', label: t('Corporations'), part: <Corporations /> },
    { value: 'coalitions', label: t('Coalitions'), part: <Coalitions /> },
  ];
  return (
    <Screen
      title={t('Registry')}
      lead={t('Alliances, corporations and coalitions: who may log in by them, and what they require.')}
    >
      <Parts of={kinds} />
    </Screen>
  );
}
