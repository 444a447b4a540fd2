import { useQuery } from '@tanstack/react-query';
import { namedBy } from './by-id.ts';
import { LinkAnchor } from './links.tsx';
import { Name } from './name.tsx';

/** A character by its id: a link with its name as soon as that is loaded. */
export function Character({ id }: { readonly id: number }) {
  const { data } = useQuery(namedBy(id));
  if (data?.character_id !== id) return `#${id}`;
  return (
    <LinkAnchor to="/user/$name" params={{ name: data.character_name }}>
      <Name of={data.character_name} />
    </LinkAnchor>
  );
}
