import type { ExternalForwardAnswer, ExternalForwardRequest } from '../../contract/ext.ts';
import type { Parts } from '../parts.ts';
import { invalid, Problem } from '../problem.ts';
import type { ProviderRequest } from '../provider/client.ts';
import { ProviderError } from '../provider/http.ts';
import { requireAuthority } from '../registry/authority.ts';
import { budgetOf } from '../token/budget.ts';
import type { Caller } from '../token/token.queries.ts';
import { nameableIds } from './annotations.ts';
import { type FieldsFrom, toQuery } from './ext-params.ts';
import { shown, toProviderPath } from './ext-path.ts';
import { harmless } from './harmless.ts';
import { allPages } from './pages.ts';
import { refusal } from './refusal.ts';

type ForwardParts = Pick<Parts, 'db' | 'client' | 'document' | 'names'>;

/** Forwards one GET to the game's API for the caller or on behalf of another user (D17, D30–D33). */
export async function forward(
  parts: ForwardParts,
  caller: Caller,
  extPath: string,
  request: ExternalForwardRequest,
  from: FieldsFrom,
): Promise<ExternalForwardAnswer> {
  const path = toProviderPath(extPath);
  if (path === undefined) throw invalid(['path', 'esi_path'], "Must be a plain path of the game's API");
  const operation = (await parts.document.current()).find(path);
  if (operation === undefined)
    throw new Problem(404, `Could not find the path ${shown(path)} in the game's API`);
  const query = toQuery(request.params, operation, from);
  const characterId = request.on_behalf_of ?? caller.owner_id;
  if (operation.scope !== null && characterId !== caller.owner_id) {
    await requireAuthority(parts.db, caller, { over: 'user', mode: 'read' }, characterId);
  }
  const base: ProviderRequest = {
    path,
    query,
    on: budgetOf(caller),
    ...(operation.scope !== null && { as: { characterId, scope: operation.scope } }),
  };
  const answer =
    request.all_pages && operation.paged
      ? await allPages((page, anew) =>
          parts.client.ask({ ...base, query: { ...query, page: String(page) }, anew }),
        )
      : await parts.client.ask(base);
  if (answer.status >= 400) throw refusal(answer);
  return {
    data: answer.data,
    headers: harmless(answer.headers),
    id_annotations: request.id_annotations ? await annotate(parts, answer.data, base.on) : {},
    status_code: answer.status,
  };
}

/** The data is there already: names that cannot be had at this moment are left out, not answered with an error. */
async function annotate(
  { names }: ForwardParts,
  data: unknown,
  on: ProviderRequest['on'],
): Promise<Record<string, string>> {
  const found = await names.find(nameableIds(data), on).catch((error: unknown) => {
    if (!(error instanceof ProviderError)) throw error;
    return new Map<number, string>();
  });
  return Object.fromEntries(found);
}
