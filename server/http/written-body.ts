import { Stream } from 'node:stream';
import type { Response } from 'express';
import type { JsonBytes, JsonText } from '../database/json-text.ts';
import { consistsOf } from './slow-readers.ts';

/** A body that is text or bytes already, in this media type. */
export function writtenAs<Value>(res: Response, mediaType: string, body: string | Buffer): Value {
  res.setHeader('Content-Type', mediaType);
  return new WrittenBody(typeof body === 'string' ? Buffer.from(body) : body) as unknown as Value;
}

/**
 * Sends a body that is JSON already. It is written in one piece, so that {@link watchReaders} sees all of it in the
 * socket's buffer; bytes are sent as they are, without a copy for each answer.
 */
export function written<Value>(res: Response, json: JsonText<Value> | JsonBytes<Value>): Value {
  if (typeof json !== 'string') consistsOf(res, json);
  return writtenAs(res, 'application/json', json);
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
