import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { type Body, bodyOf, UNPACKED } from '../shared/json-body.ts';
import type { StoredBody } from './cache.queries.ts';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/**
 * JSON gets hardly smaller by a higher quality or a larger window than 64 KiB, whose memory takes time to get. The event
 * loop is called for each chunk.
 */
const QUICKLY = {
  chunkSize: 128 * 1024,
  params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 16 },
};

/** Packs a body if it is large: on a thread that others may wait for, so one at a time. */
export async function toStored(body: Body): Promise<StoredBody> {
  if (typeof body === 'string') return { body, packed: null };
  return { body: null, packed: await compress(body, QUICKLY) };
}

/** The body again; one at a time, like packing. */
export async function fromStored({ body, packed }: StoredBody): Promise<Body> {
  return body ?? bodyOf(await decompress(packed, UNPACKED));
}
