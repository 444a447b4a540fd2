import type { Preview } from '@castellan/sdk';
import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { Unreachable } from '../session/unreachable.ts';
import { t } from '../text/text.ts';
import { Dialog, DialogFoot } from './dialog.tsx';
import { notify } from './notices.tsx';
import { Changes } from './preview.tsx';
import { Problem } from './problem.tsx';
import { Shown } from './tabs.tsx';
import { same } from './with-theirs.ts';

interface Careful<Input> {
  /** The change on top of what others saved since; absent where it does not depend on that. */
  readonly latest?: (input: Input) => Input;
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
  /** Whether it is tried or saved: nothing is on its way while it is only asked about. */
  readonly isPending: boolean;
  /** Forgets why the last change could not be saved. */
  readonly reset: () => void;
  /** The question and any error; render it beside the control that makes the change. */
  readonly dialog: ReactNode;
}

interface Asked<Input> {
  readonly input: Input;
  readonly preview: Preview;
  /** How often it was asked about before, each time on top of what others had saved until then. */
  readonly before: number;
}

/**
 * Saves a change at once if it affects nobody; otherwise shows its effect first and asks for confirmation (D121). To
 * whoever has left by then, a message says that it was not saved.
 */
export function useCareful<Input>({ latest, preview, save, titleOf }: Careful<Input>): Saving<Input> {
  const [asked, setAsked] = useState<Asked<Input>>();
  const leave = () => setAsked(undefined);
  const isSeen = useIsSeen();
  const onError = (error: Error) => {
    if (isSeen.current) return;
    const why = error instanceof Unreachable ? t('The service cannot be reached.') : error.message;
    notify(t('What you left was not saved: {why}', { why }), 'until dismissed');
  };
  const saving = useMutation({ mutationFn: save, onSuccess: leave, onError });
  const trying = useMutation({
    mutationFn: async (input: Input) => preview?.(input),
    onSuccess: (found, input) => {
      if (!found?.changes.some(({ effect }) => effect === 'lost')) store(input);
      else if (isSeen.current) {
        setAsked((former) => ({ input, preview: found, before: former ? former.before + 1 : 0 }));
      } else onError(new Error(t('somebody would lose by it, which is asked about first.')));
    },
    onError,
  });
  /** Saves what was tried, unless others saved something meanwhile: on top of that it is tried first. */
  const store = (tried: Input) => {
    saving.reset();
    const input = latest?.(tried) ?? tried;
    if (same(input, tried)) saving.mutate(tried);
    else trying.mutate(input);
  };
  const isBusy = trying.isPending || saving.isPending;
  const pending = asked?.input ?? [trying, saving].find(({ isPending }) => isPending)?.variables;
  const reset = () => {
    if (pending !== undefined) return;
    saving.reset();
    trying.reset();
  };
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
            <Stack role="status">
              {asked.before > 0 && (
                <Text>
                  {t('Somebody else changed something here meanwhile. This is what saving does now.')}
                </Text>
              )}
              <Changes of={asked.preview} />
            </Stack>
            <Problem error={trying.error ?? saving.error} />
            <DialogFoot cancel={t('Leave it')} close={leave} isPending={isBusy}>
              <Button
                // A new one for each question, because a button that was busy has lost the focus.
                key={asked.before}
                autoFocus={asked.before > 0}
                loading={isBusy}
                onClick={() => store(asked.input)}
                data-autofocus
              >
                {t('Save all the same')}
              </Button>
            </DialogFoot>
          </Stack>
        )}
      </Dialog>
    </>
  );
  return { run, pending, isPending: isBusy, reset, dialog };
}

/** Whether what calls it is on the screen, for what comes later. */
function useIsSeen() {
  const isShown = useContext(Shown);
  const isSeen = useRef(false);
  useEffect(() => {
    isSeen.current = isShown;
    return () => {
      isSeen.current = false;
    };
  }, [isShown]);
  return isSeen;
}
