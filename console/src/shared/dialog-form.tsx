import { Button, type ButtonProps, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { t } from '../text/text.ts';
import { Dialog } from './dialog.tsx';
import { Problem } from './problem.tsx';
import { Part } from './screen.tsx';

interface DialogButtonProps extends Omit<ButtonProps, 'children'> {
  /** What the dialog is called, and the button for those who do not see what it stands beside. */
  readonly label: string;
  /** What the button says where that is less. */
  readonly text?: string;
  /** What is in the dialog, while it is open. */
  readonly children: (close: () => void) => ReactNode;
  readonly wide?: boolean;
}

/** A button, and the dialog that it opens. */
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
  /** What the button says that sends it. */
  readonly action: string;
  readonly close: () => void;
  /** Rejects with what is then shown. */
  readonly submit: (filled: FormData) => Promise<unknown>;
  readonly children: ReactNode;
}

/** The fields of a dialog, what went wrong, and the two ways out; it closes when what was sent is done. */
export function DialogForm({ action, close, submit, children }: DialogFormProps) {
  const sending = useMutation({ mutationFn: submit, onSuccess: close });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    sending.mutate(new FormData(event.currentTarget));
  };
  return (
    <form onSubmit={send}>
      <Stack>
        {children}
        <Problem error={sending.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('Cancel')}
          </Button>
          <Button type="submit" loading={sending.isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
