import { isUtf8 } from 'node:buffer';

/** Bytes from which on a body counts as large: to parse it, or to copy it, takes milliseconds. */
export const LARGE = 64 * 1024;

/**
 * A body of JSON, or an empty one: the text of a small one, the bytes of a large one in UTF-8. A large one is mostly
 * passed on as it came, and to decode and encode its text takes longer than to check it.
 */
export type Body = string | Buffer;

/** How bodies are unpacked: the event loop is called for each chunk. */
export const UNPACKED = { chunkSize: 256 * 1024 };

/** The body with these bytes; what is not UTF-8 in them is replaced, as decoding it would. */
export function bodyOf(bytes: Buffer): Body {
  if (bytes.length < LARGE) return bytes.toString();
  return isUtf8(bytes) ? bytes : Buffer.from(bytes.toString());
}

export function textOf(body: Body): string {
  return typeof body === 'string' ? body : body.toString();
}

export function bytesOf(body: Body): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : body;
}
