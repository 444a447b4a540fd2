import type { Preview } from '@castellan/sdk';
import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { t } from '../text/text.ts';
import { Dialog, DialogFoot } from './dialog.tsx';
import { Changes } from './preview.tsx';
import { Problem } from './problem.tsx';

interface Careful<Input> {
  /** Computes the effect of the change on people, without storing it; absent where it is saved without asking. */
  readonly preview?: ((input: Input) => Promise<Preview>) | undefined;
  readonly save: (input: Input) => Promise<unknown>;
  /** What is asked about, as the title of the question. */
  readonly titleOf?: (input: Input) => string;
}

interface Saving<Input> {
  /** Does nothing while another change is under way. */
  readonly run: (input: Input) => void;
  /** The change that is tried, asked about or saved. */
  readonly pending: Input | undefined;
  readonly isPending: boolean;
  /** The question and any error; render it beside the control that makes the change. */
  readonly dialog: ReactNode;
}

/** Saves a change at once if it affects nobody; otherwise shows its effect first and asks for confirmation (D121). */
export function useCareful<Input>({ preview, save, titleOf }: Careful<Input>): Saving<Input> {
  const [asked, setAsked] = useState<{ readonly input: Input; readonly preview: Preview }>();
  const leave = () => setAsked(undefined);
  const saving = useMutation({ mutationFn: save, onSuccess: leave });
  const trying = useMutation({
    mutationFn: async (input: Input) => preview?.(input),
    onSuccess: (found, input) => {
      if (found?.changes.some(({ effect }) => effect === 'lost')) setAsked({ input, preview: found });
      else saving.mutate(input);
    },
  });
  const pending = asked?.input ?? [trying, saving].find(({ isPending }) => isPending)?.variables;
  const run = (input: Input) => {
    if (pending !== undefined) return;
    saving.reset();
    trying.mutate(input);
  };
  const dialog = (
    <>
      {asked === undefined && <Problem error={trying.error ?? saving.error} />}
      <Dialog
        opened={asked !== undefined}
        onClose={leave}
        title={(asked && titleOf?.(asked.input)) ?? t('Before this is saved')}
      >
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
  return { run, pending, isPending: pending !== undefined, dialog };
}
