import { Readable } from 'node:stream';
import type { Response } from 'express';
import type { JsonText } from '../database/json-text.ts';

/** A body that is JSON already. It is sent in one piece, so that it counts among what waits for slow readers. */
export function written<Value>(res: Response, json: JsonText<Value>): Value {
  // To whom nobody listens any more, nothing is written: it would never be taken, and the answer never end.
  const pieces = res.closed ? [] : [Buffer.from(json)];
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  for (const { length } of pieces) res.setHeader('Content-Length', length);
  // ts-rest pipes a stream into the response, which its types do not know of.
  return Readable.from(pieces) as unknown as Value;
}
