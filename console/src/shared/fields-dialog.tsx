import type { Preview } from '@castellan/sdk';
import { type ButtonProps, PasswordInput, Textarea, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
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
  /** A regular expression that the whole text has to match. */
  readonly pattern?: string;
}

export type Filled = Readonly<Record<string, string>>;

/**
 * When it rejects, the dialog shows the error. `changed` are the fields that were filled in anew: what else is in the
 * dialog may have been changed by somebody else since it was opened, and must not be put back.
 */
type Submit<Result = unknown> = (filled: Filled, changed: Filled) => Promise<Result>;

interface FieldsDialogProps extends ButtonProps {
  /** The text of the button, the title of the dialog and the text of the dialog's button. */
  readonly label: string;
  /** A shorter text for the button that opens the dialog. */
  readonly children?: string;
  readonly fields: readonly Field[];
  /** Consequences or other information, above the fields. */
  readonly lead?: ReactNode;
  readonly submit: Submit;
  /** Computes the effect on people, for operations that support it. */
  readonly preview?: Submit<Preview> | undefined;
}

/** A button that opens a dialog with a few fields. */
export function FieldsDialog({
  label,
  fields,
  lead,
  submit,
  preview,
  children = label,
  ...button
}: FieldsDialogProps) {
  return (
    <DialogButton {...button} label={label} text={children}>
      {(close) => (
        <Form action={children} fields={fields} lead={lead} submit={submit} preview={preview} close={close} />
      )}
    </DialogButton>
  );
}

interface FormProps extends Pick<FieldsDialogProps, 'fields' | 'lead' | 'submit' | 'preview'> {
  readonly action: string;
  readonly close: () => void;
}

function Form({ action, fields, lead, submit, preview, close }: FormProps) {
  const [opened] = useState(() => new Map(fields.map(({ name, value }) => [name, value ?? ''])));
  const read = (data: FormData): [filled: Filled, changed: Filled] => {
    const filled = fields.map(({ name }) => [name, String(data.get(name) ?? '')] as const);
    const changed = filled.filter(([name, text]) => text !== opened.get(name));
    return [Object.fromEntries(filled), Object.fromEntries(changed)];
  };
  return (
    <DialogForm
      action={action}
      close={close}
      submit={(data) => submit(...read(data))}
      preview={preview && ((data) => preview(...read(data)))}
    >
      {lead}
      {fields.map((field, index) => (
        <Input key={field.name} field={field} first={index === 0} />
      ))}
    </DialogForm>
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
