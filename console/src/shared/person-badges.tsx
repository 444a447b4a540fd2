import type { PersonCharacter } from '@castellan/sdk';
import { Badge } from '@mantine/core';
import { t } from '../text/text.ts';
import { ownershipInWords } from './ownership-in-words.ts';

const TRACKING = {
  valid: 'Token works',
  invalid: 'Token does not suffice',
  none: 'No token',
} as const satisfies Record<PersonCharacter['tracking'], string>;

/** The state of a character's ownership. */
export function OwnershipBadge({ of }: { readonly of: PersonCharacter }) {
  return (
    <Badge variant="default" tt="none">
      {ownershipInWords(of)}
    </Badge>
  );
}

export function TrackingBadge({ of }: { readonly of: PersonCharacter['tracking'] }) {
  return (
    <Badge variant="default" tt="none">
      {t(TRACKING[of])}
    </Badge>
  );
}
