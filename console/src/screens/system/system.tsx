import { useLevel } from '../../session/me.ts';
import { Screen } from '../../shared/screen.tsx';
import { Parts } from '../../shared/tabs.tsx';
import { t } from '../../text/text.ts';
import { Configuration } from './configuration.tsx';
import { Crashes } from './crashes.tsx';
import { Held } from './held.tsx';
import { Jobs } from './jobs.tsx';
import { Status } from './status.tsx';

const SUPERUSER = 10;

/** State, jobs, held changes, crash reports and settings of the service. */
export function System() {
  const isSuperuser = useLevel(SUPERUSER);
  const parts = [
    { value: 'status', label: t('State'), part: <Status /> },
    { value: 'held', label: t('Held back'), part: <Held /> },
    ...(isSuperuser
      ? [
          { value: 'jobs', label: t('Jobs'), part: <Jobs /> },
          { value: 'crashes', label: t('Crash reports'), part: <Crashes /> },
          { value: 'configuration', label: t('Configuration'), part: <Configuration /> },
        ]
      : []),
  ];
  return (
    <Screen title={t('System')} lead={t('What runs by itself, what failed, how it is set up.')}>
      <Parts of={parts} />
    </Screen>
  );
}
