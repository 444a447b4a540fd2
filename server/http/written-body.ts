import { Stream } from 'node:stream';
import type { Response } from 'express';

/** A body that is text or bytes already, in this media type. */
export function writtenAs<Value>(res: Response, mediaType: string, body: string | Buffer): Value {
  res.setHeader('Content-Type', mediaType);
  return new WrittenBody(typeof body === 'string' ? Buffer.from(body) : body) as unknown as Value;
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
