import type { PersonCharacter } from '@castellan/sdk';
import { Badge } from '@mantine/core';
import { t } from '../text/text.ts';

const OWNERSHIP = {
  proven: 'Proven',
  stale: 'Not seen for long',
  changed: 'Handed over',
} as const satisfies Record<PersonCharacter['ownership'], string>;

const TRACKING = {
  valid: 'Token works',
  invalid: 'Token does not suffice',
  none: 'No token',
} as const satisfies Record<PersonCharacter['tracking'], string>;

/** The state of a character's ownership. */
export function OwnershipBadge({ of }: { readonly of: PersonCharacter['ownership'] }) {
  return (
    <Badge variant="default" tt="none">
      {t(OWNERSHIP[of])}
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
