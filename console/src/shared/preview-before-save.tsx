import type { Preview } from '@castellan/sdk';
import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { t } from '../text/text.ts';
import { Dialog, DialogFoot } from './dialog.tsx';
import { Changes } from './preview.tsx';
import { Problem } from './problem.tsx';

interface Careful<Input> {
  /** Computes the effect of the change on people, without storing it. */
  readonly preview: (input: Input) => Promise<Preview>;
  readonly save: (input: Input) => Promise<unknown>;
}

interface Saving<Input> {
  readonly run: (input: Input) => void;
  readonly isPending: boolean;
  /** The question and any error; render it beside the control that makes the change. */
  readonly dialog: ReactNode;
}

/** Saves a change at once if it affects nobody; otherwise shows its effect first and asks for confirmation (D121). */
export function useCareful<Input>({ preview, save }: Careful<Input>): Saving<Input> {
  const [asked, setAsked] = useState<{ readonly input: Input; readonly preview: Preview }>();
  const saving = useMutation({ mutationFn: save, onSuccess: () => setAsked(undefined) });
  const trying = useMutation({
    mutationFn: preview,
    onSuccess: (found, input) => {
      if (found.changes.some(({ effect }) => effect === 'lost')) setAsked({ input, preview: found });
      else saving.mutate(input);
    },
  });
  const run = (input: Input) => {
    saving.reset();
    trying.mutate(input);
  };
  const leave = () => setAsked(undefined);
  const dialog = (
    <>
      {asked === undefined && <Problem error={trying.error ?? saving.error} />}
      <Dialog opened={asked !== undefined} onClose={leave} title={t('Before this is saved')}>
        {asked !== undefined && (
          <Stack>
            <Changes of={asked.preview} />
            <Problem error={saving.error} />
            <DialogFoot cancel={t('Leave it')} close={leave} isPending={saving.isPending}>
              <Button loading={saving.isPending} onClick={() => saving.mutate(asked.input)} data-autofocus>
                {t('Save all the same')}
              </Button>
            </DialogFoot>
          </Stack>
        )}
      </Dialog>
    </>
  );
  return { run, isPending: trying.isPending || saving.isPending, dialog };
}
