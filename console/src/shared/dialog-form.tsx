import type { Preview } from '@castellan/sdk';
import { Button, type ButtonProps, Stack } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog, DialogFoot } from './dialog.tsx';
import { useCareful } from './preview-before-save.tsx';
import { Part } from './screen.tsx';

interface DialogButtonProps extends Omit<ButtonProps, 'children'> {
  /** The title of the dialog and the accessible name of the button. */
  readonly label: string;
  /** The button's text, by default the label. */
  readonly text?: string;
  /** The content of the open dialog. */
  readonly children: (close: () => void) => ReactNode;
  readonly wide?: boolean;
}

/** A button that opens a dialog. */
export function DialogButton({ label, text, children, wide = false, ...button }: DialogButtonProps) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button {...button} aria-label={label} onClick={() => setOpen(true)}>
        {text ?? label}
      </Button>
      <Dialog opened={open} onClose={close} title={label} size={wide ? 'lg' : 'md'}>
        <Part rows={3}>{children(close)}</Part>
      </Dialog>
    </>
  );
}

interface DialogFormProps {
  /** The text of the submit button. */
  readonly action: string;
  readonly close: () => void;
  /** If it rejects, the error is shown. */
  readonly submit: (filled: FormData) => Promise<unknown>;
  /** Computes the effect on people; where somebody loses by it, it is asked about before it is submitted. */
  readonly preview?: ((filled: FormData) => Promise<Preview>) | undefined;
  /** Whether something is missing, so that it cannot be submitted yet. */
  readonly incomplete?: boolean;
  readonly children: ReactNode;
}

/** The form of a dialog with error and buttons; the dialog closes after a successful submit. */
export function DialogForm(props: DialogFormProps) {
  const { action, close, submit, preview, incomplete = false, children } = props;
  const careful = useCareful({
    preview,
    save: async (filled: FormData) => {
      await submit(filled);
      close();
    },
  });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    careful.run(new FormData(event.currentTarget));
  };
  return (
    <form onSubmit={send}>
      <Stack>
        {children}
        {careful.dialog}
        <DialogFoot close={close} isPending={careful.isPending}>
          <Button type="submit" loading={careful.isPending} disabled={incomplete}>
            {action}
          </Button>
        </DialogFoot>
      </Stack>
    </form>
  );
}
