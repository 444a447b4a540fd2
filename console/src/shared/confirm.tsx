import type { Preview } from '@castellan/sdk';
import { Button, type ButtonProps, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Dialog, DialogFoot } from './dialog.tsx';
import { Loading } from './loading.tsx';
import { Changes } from './preview.tsx';
import { Problem } from './problem.tsx';

interface ConfirmProps extends ButtonProps {
  /** The text of the button, and of the button that confirms. */
  readonly label: string;
  /** The consequences. */
  readonly question: ReactNode;
  readonly act: () => Promise<unknown>;
  /** Computes the effect on people, for operations that support it. */
  readonly preview?: () => Promise<Preview>;
  readonly children?: ReactNode;
}

/** A button for an action that cannot be undone: a dialog asks for confirmation, and stays open with any error. */
export function Confirm({ label, question, act, preview, children, ...button }: ConfirmProps) {
  const [open, setOpen] = useState(false);
  const doing = useMutation({ mutationFn: act, onSuccess: () => setOpen(false) });
  const trying = useMutation({ mutationFn: async () => preview?.() });
  const begin = () => {
    setOpen(true);
    if (preview !== undefined) trying.mutate();
  };
  // Until it is known what the action takes from people, it cannot be confirmed: a second Enter would do so unseen.
  const isUnknown = preview !== undefined && trying.data === undefined;
  const close = () => {
    doing.reset();
    setOpen(false);
  };
  return (
    <>
      <Button variant="default" aria-label={label} {...button} onClick={begin}>
        {children ?? label}
      </Button>
      <Dialog opened={open} onClose={close} title={label}>
        <Stack>
          <Text component="div">{question}</Text>
          <div role="status">
            {trying.isPending && <Loading rows={2} />}
            {trying.data !== undefined && <Changes of={trying.data} />}
          </div>
          <Problem error={doing.error} />
          <Problem error={trying.error} retry={() => trying.mutate()} />
          <DialogFoot close={close} isPending={doing.isPending}>
            <Button
              color="red.9"
              loading={doing.isPending}
              // Not `disabled`, because then the dialog could not focus it.
              aria-disabled={isUnknown}
              data-disabled={isUnknown}
              onClick={() => !isUnknown && doing.mutate()}
              data-autofocus
            >
              {label}
            </Button>
          </DialogFoot>
        </Stack>
      </Dialog>
    </>
  );
}
