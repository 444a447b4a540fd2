import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '../database/tables.ts';
import { storable } from '../database/text.ts';
import { dataIn, type Schema } from '../provider/answer.ts';
import type { ProviderClient, ProviderRequest } from '../provider/client.ts';
import { ProviderError } from '../provider/http.ts';
import type { Names } from '../provider/names.ts';
import type { Clock } from '../shared/clock.ts';
import { notFound } from '../shared/domain-error.ts';
import { findSubject, type Subject } from './subject.queries.ts';

/** The services that histories use. */
export interface HistoryServices {
  readonly db: Kysely<Database>;
  readonly client: ProviderClient;
  readonly names: Names;
  readonly clock: Clock;
  /** Refusals of structures that the run may still cause, as their names are optional; absent in a call: no limit. */
  readonly structures?: { refusals: number };
  /** How often the run asked for the text of a mail without getting it; absent in a call: no limit. */
  readonly texts?: Map<number, number>;
}

/**
 * Some of what a history keeps is missing, and comes bit by bit, or never: it is asked for again within the interval of
 * the history, so that it does not delay what arrives.
 */
export class PartsMissing extends ProviderError {}

export const id = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
export const text = z.string().transform(storable);

/**
 * Requests one record from the provider.
 *
 * @throws ProviderError for any other answer
 */
export async function read<T>(
  client: ProviderClient,
  request: ProviderRequest,
  schema: Schema<T>,
): Promise<T> {
  return dataIn(await client.ask(request), request.path, schema);
}

/** The user whose history it is; 404 when it is not registered. */
export async function requireSubject(db: Kysely<Database>, characterId: number): Promise<Subject> {
  const subject = await findSubject(db, characterId);
  if (subject === undefined) throw notFound('user', characterId);
  return subject;
}
