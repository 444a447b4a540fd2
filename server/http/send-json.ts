import { Stream } from 'node:stream';
import type { Response } from 'express';
import type { JsonBytes, JsonText } from '../database/json-text.ts';
import { consistsOf } from './slow-readers.ts';

/**
 * Sends a body that is JSON already. It is written in one piece, so that {@link watchReaders} sees all of it in the
 * socket's buffer; bytes are sent as they are, without a copy for each answer.
 */
export function written<Value>(res: Response, json: JsonText<Value> | JsonBytes<Value>): Value {
  if (typeof json !== 'string') consistsOf(res, json);
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  return new WrittenBody(typeof json === 'string' ? Buffer.from(json) : json) as unknown as Value;
}

/** ts-rest lets a stream write the response, but its types do not allow one; a readable one would cost more. */
class WrittenBody extends Stream {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    super();
    this.#bytes = bytes;
  }

  override pipe<Target extends NodeJS.WritableStream>(
    res: Target & Partial<Pick<Response, 'closed'>>,
  ): Target {
    // The client has disconnected: a write would never be flushed, so the response would never end.
    if (res.closed) res.end();
    else res.end(this.#bytes);
    return res;
  }
}
