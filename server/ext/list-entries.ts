import { isBlank } from '../shared/is-json.ts';
import { type Body, bytesOf } from '../shared/json-body.ts';

const OPENING_BRACKET = 0x5b;

/** The entries of a JSON list as they are written, without its brackets; undefined for a value that is no list. */
export function entriesOf(body: Body): Buffer | undefined {
  const list = withoutBlanks(bytesOf(body));
  return list[0] === OPENING_BRACKET ? withoutBlanks(list.subarray(1, -1)) : undefined;
}

/** A view, not a copy. */
function withoutBlanks(bytes: Buffer): Buffer {
  let [begin, end] = [0, bytes.length];
  while (begin < end && isBlank(bytes[begin] as number)) begin += 1;
  while (begin < end && isBlank(bytes[end - 1] as number)) end -= 1;
  return bytes.subarray(begin, end);
}
