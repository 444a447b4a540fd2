import { Button, Group } from '@mantine/core';
import { t } from '../text/text.ts';

interface SaveButtonsProps {
  /** Whether there is nothing to save. */
  readonly same: boolean;
  readonly isPending: boolean;
  readonly save: () => void;
  readonly takeBack: () => void;
}

/** The buttons under what is chosen before it is saved. */
export function SaveButtons({ same, isPending, save, takeBack }: SaveButtonsProps) {
  return (
    <Group>
      <Button disabled={same} loading={isPending} onClick={save}>
        {t('Save')}
      </Button>
      {!same && (
        <Button variant="default" onClick={takeBack}>
          {t('Take back')}
        </Button>
      )}
    </Group>
  );
}
