import type { Change } from '@castellan/sdk';
import { count, t } from '../../text/text.ts';

/** Describes a change: the former and present value of a field, or how many were added and removed. */
export function changeInWords(change: Change): string {
  if ('added' in change) {
    const came = count(change.added.length, '{n} came', '{n} came');
    const left = count(change.removed.length, '{n} left', '{n} left');
    return t('{field}: {came}, {left}', { field: change.field, came, left });
  }
  return t('{field}: {before} → {after}', {
    field: change.field,
    before: text(change.before),
    after: text(change.after),
  });
}

function text(value: unknown): string {
  if (value === null || value === undefined) return t('nothing');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
