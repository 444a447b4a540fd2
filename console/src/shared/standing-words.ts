import { t } from '../text/text.ts';
import { type Choice, useChoices } from './choices.ts';

const FIELDS: Readonly<Record<string, string>> = {
  may_log_in: 'May log in',
  ceo: 'CEO',
  ceo_name: 'Name of the CEO',
  clearance_level: 'Level',
};

/** The label of a field such as `refresh_token`; derived from the name for fields that this console does not know. */
export function fieldInWords(field: string): string {
  const words = field.replaceAll('_', ' ');
  return t(FIELDS[field] ?? words.charAt(0).toUpperCase() + words.slice(1));
}

type Value = string | number | boolean | null | undefined | readonly string[];
export type InWords = (field: string, value: Value) => string;

/** Formats values of fields; organizations by their present names. */
export function useValuesInWords(): InWords {
  const { alliances, corporations, coalitions } = useChoices();
  const known: Readonly<Record<string, readonly Choice[]>> = {
    alliance: alliances,
    corporation: corporations,
    executor_corporation: corporations,
    coalitions,
  };
  return (field, value) => SPECIAL[`${field} ${value}`] ?? inWords(value, known[field] ?? []);
}

/** Values with a meaning of their own. */
const SPECIAL: Readonly<Record<string, string>> = {
  'may_log_in null': t('unknown'),
  'clearance_level -1': t('guest'),
};

function inWords(value: Value, known: readonly Choice[]): string {
  if (value === null || value === undefined || value === '') return t('none');
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  const ids = typeof value === 'object' ? value : [String(value)];
  if (ids.length === 0) return t('none');
  return ids.map((id) => known.find((choice) => choice.value === id)?.label ?? id).join(', ');
}
