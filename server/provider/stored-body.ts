import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { LARGE } from './answer.ts';
import type { StoredBody } from './cache.queries.ts';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** JSON gets hardly smaller by more. */
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** Packs a body if it is large: on a thread that others may wait for, so one at a time. */
export async function toStored(body: string): Promise<StoredBody> {
  if (body.length < LARGE) return { body, packed: null };
  return { body: null, packed: await compress(body, QUICKLY) };
}

/** The text again; one at a time, like packing. */
export async function toText({ body, packed }: StoredBody): Promise<string> {
  return body ?? (await decompress(packed)).toString();
}
