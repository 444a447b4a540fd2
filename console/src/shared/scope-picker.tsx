import type { ExtScope } from '@castellan/sdk';
import { t } from '../text/text.ts';
import { Several } from './several.tsx';

interface ScopePickerProps {
  readonly label: string;
  readonly value: readonly ExtScope[];
  readonly known: readonly ExtScope[];
  readonly onChange: (scopes: ExtScope[]) => void;
}

export function ScopePicker({ label, value, known, onChange }: ScopePickerProps) {
  return (
    <Several
      label={label}
      placeholder={value.length === 0 ? t('No scope is required') : ''}
      data={[...known]}
      value={[...value]}
      onChange={(scopes) => onChange(scopes as ExtScope[])}
      clearable
      clearButtonProps={{ 'aria-label': t('Require no scope') }}
      limit={50}
    />
  );
}
