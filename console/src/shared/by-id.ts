import type { User } from '@castellan/sdk';
import type { CastellanQuery } from '@castellan/sdk/query';
import { queries, queryClient } from '../session/api.ts';
import { t } from '../text/text.ts';

/** Questions about a character by its id. */
export const groupsOf = (id: number) => confirmed(id, queries.user.groups({ params: paramsOf(id) }));
export const personOf = (id: number) => confirmed(id, queries.user.person({ params: paramsOf(id) }));
export const whyOf = (id: number, about: string) =>
  confirmed(id, queries.user.why({ params: paramsOf(id), query: { about } }));

/** The service's record of whoever an id names at present. */
export const namedBy = (id: number) => queries.user.get({ params: { character_name: String(id) } });

const paramsOf = (id: number) => ({ character: String(id) });

/**
 * An exact name comes before an id (D70): whoever is named with the digits of another's id is not to be taken for it.
 *
 * @throws {Error} when the record is of another character
 */
export function mustBe(id: number, { character_id }: User): void {
  if (character_id === id) return;
  throw new Error(t('Another character is named {id}, so nothing can be asked about this one.', { id }));
}

/** The query fails where another character would be asked about. */
function confirmed<Result>(id: number, query: CastellanQuery<Result>): CastellanQuery<Result> {
  return {
    ...query,
    queryFn: async (context) => {
      const [result, named] = await Promise.all([query.queryFn(context), queryClient.query(namedBy(id))]);
      mustBe(id, named);
      return result;
    },
  };
}
