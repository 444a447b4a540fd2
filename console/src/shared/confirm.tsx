import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { t } from '../text/text.ts';
import { Problem } from './problem.tsx';

interface ConfirmProps extends ButtonProps {
  /** What the button says, and the dialog asks for once more. */
  readonly label: string;
  /** What follows from it. */
  readonly question: ReactNode;
  readonly act: () => Promise<unknown>;
  readonly children?: ReactNode;
}

/** A button for what cannot be undone: it asks once more, and stays open with what went wrong. */
export function Confirm({ label, question, act, children, ...button }: ConfirmProps) {
  const [open, setOpen] = useState(false);
  const doing = useMutation({ mutationFn: act, onSuccess: () => setOpen(false) });
  const close = () => {
    doing.reset();
    setOpen(false);
  };
  return (
    <>
      <Button variant="default" {...button} onClick={() => setOpen(true)}>
        {children ?? label}
      </Button>
      <Modal opened={open} onClose={close} title={label}>
        <Stack>
          <Text component="div">{question}</Text>
          <Problem error={doing.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
            <Button color="red.9" loading={doing.isPending} onClick={() => doing.mutate()} data-autofocus>
              {label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
