import { Readable } from 'node:stream';
import type { Response } from 'express';
import type { JsonText } from '../database/json-text.ts';

/**
 * Sends a body that is JSON text already. It is written in one piece, so that {@link watchReaders} sees all of it in
 * the socket's buffer.
 */
export function written<Value>(res: Response, json: JsonText<Value>): Value {
  // The client has disconnected: a write would never be flushed, so the response would never end.
  const pieces = res.closed ? [] : [Buffer.from(json)];
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  for (const { length } of pieces) res.setHeader('Content-Length', length);
  // ts-rest can pipe a stream into the response, but its types do not allow one.
  return Readable.from(pieces) as unknown as Value;
}
