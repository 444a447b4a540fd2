import { useQuery } from '@tanstack/react-query';
import { namedBy } from './by-id.ts';
import { UserLink } from './user-link.tsx';

/** A character by its id: a link with its name as soon as that is loaded. */
export function Character({ id }: { readonly id: number }) {
  const { data } = useQuery(namedBy(id));
  if (data?.character_id !== id) return `#${id}`;
  return <UserLink of={data} />;
}
