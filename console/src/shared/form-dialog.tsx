import {
  Button,
  type ButtonProps,
  Group,
  Modal,
  PasswordInput,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { t } from '../text/text.ts';
import { Problem } from './problem.tsx';

interface Field {
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly long?: boolean;
  readonly secret?: boolean;
  readonly value?: string;
  readonly inputMode?: 'numeric';
}

export type Filled = Readonly<Record<string, string>>;

interface FormDialogProps extends ButtonProps {
  /** The text of the button, the title of the dialog and the text of the dialog's button. */
  readonly label: string;
  /** A shorter text for the button that opens the dialog. */
  readonly children?: string;
  readonly fields: readonly Field[];
  /** Consequences or other information, above the fields. */
  readonly lead?: ReactNode;
  /** When it rejects, the dialog shows the error. */
  readonly submit: (filled: Filled) => Promise<unknown>;
}

/** A button that opens a dialog with a few fields. */
export function FormDialog({ label, fields, lead, submit, children, ...button }: FormDialogProps) {
  const [open, setOpen] = useState(false);
  const sending = useMutation({ mutationFn: submit, onSuccess: () => setOpen(false) });
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    sending.mutate(Object.fromEntries(fields.map(({ name }) => [name, String(data.get(name) ?? '')])));
  };
  const close = () => {
    sending.reset();
    setOpen(false);
  };
  return (
    <>
      <Button {...button} aria-label={label} onClick={() => setOpen(true)}>
        {children ?? label}
      </Button>
      <Modal opened={open} onClose={close} title={label}>
        <form onSubmit={send}>
          <Stack>
            {lead}
            {fields.map((field, index) => (
              <Input key={field.name} field={field} first={index === 0} />
            ))}
            <Problem error={sending.error} />
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                {t('Cancel')}
              </Button>
              <Button type="submit" loading={sending.isPending}>
                {children ?? label}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}

function Input({ field, first }: { readonly field: Field; readonly first: boolean }) {
  const { long, secret, value, description, ...given } = field;
  const props = {
    ...given,
    ...(description !== undefined && { description }),
    defaultValue: value ?? '',
    autoComplete: 'off',
    ...(first && { 'data-autofocus': true }),
  };
  if (long === true) return <Textarea {...props} autosize minRows={3} maxRows={12} />;
  if (secret === true) return <PasswordInput {...props} />;
  return <TextInput {...props} />;
}
