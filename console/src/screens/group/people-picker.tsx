import { useQueries } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { namedBy } from '../../shared/by-id.ts';
import { useUsersByPart } from '../../shared/by-name.ts';
import { Several } from '../../shared/several.tsx';
import { t } from '../../text/text.ts';

const SHOWN = 20;

interface PeoplePickerProps {
  readonly label: string;
  readonly description: string;
  /** Ids of characters. */
  readonly value: readonly number[];
  readonly onChange: (ids: number[]) => void;
}

/** A field to choose several users; the service searches for their names. */
export function PeoplePicker({ label, description, value, onChange }: PeoplePickerProps) {
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search.trim());
  const { found, error, isComplete } = useUsersByPart(wanted, SHOWN);
  const chosen = useQueries({
    queries: value.map(namedBy),
  });
  const names = new Map([
    ...found.map(({ character_id, character_name }) => [character_id, character_name] as const),
    ...chosen.flatMap(({ data }) =>
      data === undefined ? [] : [[data.character_id, data.character_name] as const],
    ),
  ]);
  const offered = new Set([...value, ...found.map(({ character_id }) => character_id)]);
  return (
    <Several
      label={label}
      description={description}
      data={[...offered].map((id) => ({ value: String(id), label: names.get(id) ?? `#${id}` }))}
      value={value.map(String)}
      onChange={(ids) => onChange(ids.map(Number))}
      found={isComplete}
      onSearchChange={setSearch}
      nothingFoundMessage={wanted === '' ? t('Type a part of the name.') : (error?.message ?? t('Nobody.'))}
    />
  );
}
