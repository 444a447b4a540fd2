import { MultiSelect } from '@mantine/core';
import { t } from '../text/text.ts';
import type { Choice } from './choices.ts';

const SHOWN = 50;

interface ChoicePickerProps<Id extends number | string> {
  readonly label: string;
  readonly description?: string;
  readonly choices: readonly Choice[];
  readonly value: readonly Id[];
  readonly onChange: (ids: Id[]) => void;
  /** How an id is read from its text. */
  readonly read: (text: string) => Id;
}

/** Several of what is registered, by their names; what is gone meanwhile stands there by its id. */
export function ChoicePicker<Id extends number | string>(props: ChoicePickerProps<Id>) {
  const { label, description, choices, value, onChange, read } = props;
  const chosen = value.map(String);
  const known = new Set(choices.map((choice) => choice.value));
  const gone = chosen.filter((id) => !known.has(id)).map((id) => ({ value: id, label: `#${id}` }));
  return (
    <MultiSelect
      label={label}
      {...(description !== undefined && { description })}
      data={[...gone, ...choices]}
      value={chosen}
      onChange={(ids) => onChange(ids.map(read))}
      searchable
      limit={SHOWN}
      hidePickedOptions
      nothingFoundMessage={t('Nothing is registered by this name.')}
    />
  );
}
