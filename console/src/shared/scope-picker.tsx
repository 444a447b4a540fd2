import type { ExtScope } from '@castellan/sdk';
import { Code, List, MultiSelect, Text } from '@mantine/core';
import { t } from '../text/text.ts';

/** A list of scopes. */
export function Scopes({ of, none }: { readonly of: readonly ExtScope[]; readonly none: string }) {
  if (of.length === 0) return <Text c="dimmed">{none}</Text>;
  return (
    <List size="sm">
      {of.map((scope) => (
        <List.Item key={scope}>
          <Code>{scope}</Code>
        </List.Item>
      ))}
    </List>
  );
}

interface ScopePickerProps {
  readonly label: string;
  readonly value: readonly ExtScope[];
  readonly known: readonly ExtScope[];
  readonly onChange: (scopes: ExtScope[]) => void;
}

export function ScopePicker({ label, value, known, onChange }: ScopePickerProps) {
  return (
    <MultiSelect
      label={label}
      placeholder={value.length === 0 ? t('No scope is required') : ''}
      data={[...known]}
      value={[...value]}
      onChange={(scopes) => onChange(scopes as ExtScope[])}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('Require no scope') }}
      limit={50}
      hidePickedOptions
    />
  );
}
