import { t } from '../text/text.ts';

const OWNERSHIP = {
  proven: 'Proven',
  stale: 'Not seen for long',
  changed: 'Handed over',
} as const;

interface Owned {
  readonly ownership: keyof typeof OWNERSHIP;
  readonly proven_on: string | null;
}

/** The state of a character's ownership. */
export function ownershipInWords({ ownership, proven_on }: Owned): string {
  return ownership === 'stale' && proven_on === null ? t('Never signed in') : t(OWNERSHIP[ownership]);
}
