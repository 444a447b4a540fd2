import { useQuery } from '@tanstack/react-query';
import { queries } from '../session/api.ts';
import { LinkAnchor } from './links.tsx';
import { Name } from './name.tsx';

/** A character by its id: a link with its name as soon as that is loaded. */
export function Character({ id }: { readonly id: number }) {
  const { data } = useQuery(queries.user.get({ params: { character_name: String(id) } }));
  if (data === undefined) return `#${id}`;
  return (
    <LinkAnchor to="/user/$name" params={{ name: data.character_name }}>
      <Name of={data.character_name} />
    </LinkAnchor>
  );
}
