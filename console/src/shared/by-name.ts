import { ok, type UserShort } from '@castellan/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { queries, reader } from '../session/api.ts';

/** The user of exactly this name; guests, too, whom the list of users leaves out. */
export async function findByName(name: string, signal?: AbortSignal): Promise<UserShort | undefined> {
  // No segment of a path, so the client refuses it.
  if (name === '.' || name === '..') return undefined;
  const answer = await reader.user.get.answer({ params: { character_name: name }, signal });
  // What is too long for a name is nobody's.
  if (answer.status === 404 || answer.status === 422) return undefined;
  const { character_id, character_name } = await ok(answer);
  // A number that names nobody is taken for an id.
  return character_name === name ? { character_id, character_name } : undefined;
}

/**
 * The users whose names contain a text, those first who are called exactly that. A page holds the first by name: where
 * many names contain a short one, whoever is called that may not be on it, and is asked for besides.
 */
export function useUsersByPart(text: string, limit: number) {
  const listed = useQuery({
    ...queries.user.list({ query: { search: text, limit } }),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  });
  const { data: page = [], isSuccess, isPlaceholderData } = listed;
  const isExact = ({ character_name }: UserShort) => character_name === text;
  const mayBeBeyond = isSuccess && !isPlaceholderData && page.length >= limit && !page.some(isExact);
  const named = useQuery({
    queryKey: ['castellan', 'user', 'called', text],
    queryFn: async ({ signal }) => (await findByName(text, signal)) ?? null,
    enabled: mayBeBeyond,
  });
  const beyond = mayBeBeyond && named.data ? [named.data] : [];
  return {
    found: [...beyond, ...page.filter(isExact), ...page.filter((user) => !isExact(user))],
    error: listed.error ?? named.error,
    isFetching: listed.isFetching || named.isFetching,
    /** Whether what was found belongs to this text, and nothing more comes. */
    isComplete: isSuccess && !isPlaceholderData && !named.isLoading,
  };
}
