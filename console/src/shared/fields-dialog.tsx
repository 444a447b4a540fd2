import { type ButtonProps, PasswordInput, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { DialogButton, DialogForm } from './dialog-form.tsx';

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

interface FieldsDialogProps extends ButtonProps {
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
export function FieldsDialog({
  label,
  fields,
  lead,
  submit,
  children = label,
  ...button
}: FieldsDialogProps) {
  const send = (data: FormData) =>
    submit(Object.fromEntries(fields.map(({ name }) => [name, String(data.get(name) ?? '')])));
  return (
    <DialogButton {...button} label={label} text={children}>
      {(close) => (
        <DialogForm action={children} close={close} submit={send}>
          {lead}
          {fields.map((field, index) => (
            <Input key={field.name} field={field} first={index === 0} />
          ))}
        </DialogForm>
      )}
    </DialogButton>
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
