import { t } from '../text/text.ts';
import type { Choice } from './choices.ts';
import { Several } from './several.tsx';

const SHOWN = 50;

interface ChoicePickerProps<Id extends number | string> {
  readonly label: string;
  readonly description?: string;
  readonly choices: readonly Choice[];
  readonly value: readonly Id[];
  readonly onChange: (ids: Id[]) => void;
  /** Converts the text of an id to an id. */
  readonly read: (text: string) => Id;
}

/** A field to choose several records by name; chosen records that no longer exist are shown by id. */
export function ChoicePicker<Id extends number | string>(props: ChoicePickerProps<Id>) {
  const { label, description, choices, value, onChange, read } = props;
  const chosen = value.map(String);
  const known = new Set(choices.map((choice) => choice.value));
  const gone = chosen.filter((id) => !known.has(id)).map((id) => ({ value: id, label: `#${id}` }));
  return (
    <Several
      label={label}
      {...(description !== undefined && { description })}
      data={[...gone, ...choices]}
      value={chosen}
      onChange={(ids) => onChange(ids.map(read))}
      limit={SHOWN}
      nothingFoundMessage={t('Nothing is registered by this name.')}
    />
  );
}
