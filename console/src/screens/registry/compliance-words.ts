import type { ComplianceCharacter, ComplianceReason, ComplianceStatus } from '@castellan/sdk';
import { t } from '../../text/text.ts';

export const STATUSES = {
  failing: 'Failing',
  unknown: 'Unknown',
  grace: 'In grace',
  never: 'Never signed in',
  ok: 'Complies',
} as const satisfies Record<ComplianceStatus | 'never', string>;

export const WORST_FIRST = ['failing', 'unknown', 'grace', 'never', 'ok'] as const;

const REASONS = {
  no_grant: 'never granted anything',
  grant_invalid: 'the grant does not work any more',
  scopes_missing: 'not granted: {scopes}',
  refresh_cut_off: 'nobody knows whether the grant still works',
} as const satisfies Record<ComplianceReason, string>;

/** Describes why a character does not comply; empty when it does. */
export function reasonInWords(
  reason: ComplianceCharacter['reason'],
  scopes: ComplianceCharacter['missing_scopes'],
): string {
  return reason === null ? '' : t(REASONS[reason], { scopes: scopes.join(', ') });
}
