import type { AppRoute } from '@ts-rest/core';
import type { Response } from 'express';
import type { RouteMetadata } from '../../contract/access.ts';
import { contract } from '../../contract/index.ts';
import { readPosition } from '../event/read.queries.ts';
import type { Services } from '../services/services.ts';

/**
 * Long answers that nobody decides by: they may come from a replica. Who asks is judged by the primary all the same.
 * Histories are none of them: a former owner's are gone with the hand-over (D29b), and reading another's is noted.
 */
const MAY_LAG: ReadonlySet<AppRoute> = new Set<AppRoute>([
  ...[contract.user, contract.group, contract.corporation, contract.alliance, contract.coalition].map(
    ({ list }) => list,
  ),
  ...[contract.corporation, contract.alliance, contract.coalition].map(({ tracking }) => tracking),
]);

type Answer<Input> = (input: Input) => Promise<unknown>;

/**
 * What answers a route: where it may lag, the replica while it is fit; where that fails, or where there is none, the
 * primary.
 */
export function preferringReplica<Input extends { readonly res: Response }>(
  route: AppRoute,
  byPrimary: Answer<Input>,
  answeredBy: (services: Services) => Answer<Input>,
  services: Services,
): Answer<Input> {
  const { replica } = services;
  if (replica === undefined || !MAY_LAG.has(route)) return byPrimary;
  const byReplica = answeredBy({ ...services, db: replica.db });
  const { positioned } = route.metadata as RouteMetadata;
  return async (input) => {
    if (!(await replica.isFit())) return byPrimary(input);
    const { res } = input;
    const ofPrimary = res.getHeader('Castellan-Position');
    try {
      // The events that the replica has seen: the following ones fit what it answers (D92).
      if (positioned) res.setHeader('Castellan-Position', await readPosition(replica.db));
      return await byReplica(input);
    } catch (error) {
      if (!replica.failed(error)) throw error;
      if (ofPrimary !== undefined) res.setHeader('Castellan-Position', ofPrimary);
      return byPrimary(input);
    }
  };
}
