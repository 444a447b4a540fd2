import type { AppRoute } from '@ts-rest/core';
import type { Response } from 'express';
import type { RouteMetadata } from '../../contract/access.ts';
import { contract } from '../../contract/index.ts';
import { readPosition } from '../event/read.queries.ts';
import type { Services } from '../services/services.ts';

/**
 * Operations that may be answered from a replica: long lists on which no decision is based. Authentication always uses
 * the primary. Histories are excluded: after a hand-over a lagging replica would still show the former owner's (D29b),
 * and reading another user's history writes an audit event.
 */
const MAY_LAG: ReadonlySet<AppRoute> = new Set<AppRoute>([
  ...[contract.user, contract.group, contract.corporation, contract.alliance, contract.coalition].map(
    ({ list }) => list,
  ),
  ...[contract.corporation, contract.alliance, contract.coalition].map(({ tracking }) => tracking),
]);

type Answer<Input> = (input: Input) => Promise<unknown>;

/**
 * Wraps a route's handler: an operation that may lag is answered by the replica while the replica is healthy. The
 * primary answers when the replica fails and where there is none.
 */
export function preferringReplica<Input extends { readonly res: Response }>(
  route: AppRoute,
  byPrimary: Answer<Input>,
  answeredBy: (services: Services) => Answer<Input>,
  services: Services,
): Answer<Input> {
  const { replica } = services;
  if (replica === undefined || !MAY_LAG.has(route)) return byPrimary;
  const { positioned } = route.metadata as RouteMetadata;
  return async (input) => {
    const { res } = input;
    const ofPrimary = res.getHeader('Castellan-Position');
    try {
      return await replica.read(async (db) => {
        // The position up to which the replica has replayed the events, so that the client sees every later change in the
        // feed (D92).
        if (positioned) res.setHeader('Castellan-Position', await readPosition(db));
        return answeredBy({ ...services, db })(input);
      });
    } catch (error) {
      if (!replica.failed(error)) throw error;
      if (ofPrimary !== undefined) res.setHeader('Castellan-Position', ofPrimary);
      return byPrimary(input);
    }
  };
}
