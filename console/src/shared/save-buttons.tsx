import { Button, Group } from '@mantine/core';
import { t } from '../text/text.ts';
import { Unsaved } from './dialog.tsx';

interface SaveButtonsProps {
  /** The text of the button that saves. */
  readonly label?: string;
  /** Whether there is nothing to save. */
  readonly same: boolean;
  /** Whether it can be saved nevertheless. */
  readonly asItIs?: boolean;
  readonly isPending: boolean;
  readonly save: () => void;
  readonly takeBack: () => void;
}

/** The buttons under what is chosen before it is saved. */
export function SaveButtons(props: SaveButtonsProps) {
  const { label = t('Save'), same, asItIs = false, isPending, save, takeBack } = props;
  return (
    <Group>
      <Button disabled={same && !asItIs} loading={isPending} onClick={save}>
        {label}
      </Button>
      {!same && (
        <Button variant="default" onClick={takeBack}>
          {t('Take back')}
        </Button>
      )}
      {/* Who leaves while it is saved is told how that ended. */}
      {!same && !isPending && <Unsaved />}
    </Group>
  );
}
