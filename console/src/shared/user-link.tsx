import type { UserShort } from '@castellan/sdk';
import { LinkAnchor } from './links.tsx';
import { Name } from './name.tsx';

/** A user's name as a link, which leads to the id: several users may have one name (D38). */
export function UserLink({ of }: { readonly of: UserShort }) {
  return (
    <LinkAnchor to="/user/$character" params={{ character: String(of.character_id) }}>
      <Name of={of.character_name} />
    </LinkAnchor>
  );
}
