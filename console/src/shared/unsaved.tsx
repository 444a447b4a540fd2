import { Button } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { t } from '../text/text.ts';
import { Dialog, DialogFoot } from './dialog.tsx';

interface Place {
  readonly pathname: string;
}
interface Step {
  readonly current: Place;
  readonly next: Place;
}

/** Tabs of a screen share its path, and lose nothing. */
const leadsElsewhere = ({ current, next }: Step): boolean => current.pathname !== next.pathname;

/** Asks before the screen is left, or the page loaded again, with something chosen that is not saved. */
export function Unsaved() {
  const leaving = useBlocker({ shouldBlockFn: leadsElsewhere, withResolver: true });
  const stay = () => leaving.reset?.();
  return (
    <Dialog opened={leaving.status === 'blocked'} onClose={stay} title={t('Leave without saving?')}>
      <DialogFoot cancel={t('Stay')} close={stay} isPending={false}>
        <Button color="red.9" onClick={() => leaving.proceed?.()}>
          {t('Leave')}
        </Button>
      </DialogFoot>
    </Dialog>
  );
}
