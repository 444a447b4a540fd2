import { Readable } from 'node:stream';
import type { Response } from 'express';
import type { JsonBytes, JsonText } from '../database/json-text.ts';
import { consistsOf } from './slow-readers.ts';

/**
 * Sends a body that is JSON already. It is written in one piece, so that {@link watchReaders} sees all of it in the
 * socket's buffer; bytes are sent as they are, without a copy for each answer.
 */
export function written<Value>(res: Response, json: JsonText<Value> | JsonBytes<Value>): Value {
  // The client has disconnected: a write would never be flushed, so the response would never end.
  if (typeof json !== 'string') consistsOf(res, json);
  const pieces = res.closed ? [] : [typeof json === 'string' ? Buffer.from(json) : json];
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  for (const { length } of pieces) res.setHeader('Content-Length', length);
  // ts-rest can pipe a stream into the response, but its types do not allow one.
  return Readable.from(pieces) as unknown as Value;
}
