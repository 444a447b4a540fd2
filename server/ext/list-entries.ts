import { isBlank } from '../shared/is-json.ts';
import { type Body, bytesOf } from '../shared/json-body.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** So many bytes of entries are parsed in about a millisecond. */
const BATCH = 64 * 1024;

/** The entries of a JSON list as they are written, without its brackets; undefined for a value that is no list. */
export function entriesOf(body: Body): Buffer | undefined {
  const list = withoutBlanks(bytesOf(body));
  return list[0] === OPENING_BRACKET ? withoutBlanks(list.subarray(1, -1)) : undefined;
}

/**
 * The entries of a list, see {@link entriesOf}, in batches of whole ones.
 *
 * @param size bytes from which on a batch is complete
 */
export function* inBatches(entries: Buffer, size: number = BATCH): Generator<Buffer> {
  let begin = 0;
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < entries.length; at += 1) {
    const code = entries[at];
    if (isInString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if (code === OPENING_BRACKET || code === OPENING_BRACE) depth += 1;
    else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) depth -= 1;
    else if (code === COMMA && depth === 0 && at - begin >= size) {
      yield entries.subarray(begin, at);
      begin = at + 1;
    }
  }
  if (begin < entries.length) yield entries.subarray(begin);
}

/** A view, not a copy. */
function withoutBlanks(bytes: Buffer): Buffer {
  let [begin, end] = [0, bytes.length];
  while (begin < end && isBlank(bytes[begin] as number)) begin += 1;
  while (begin < end && isBlank(bytes[end - 1] as number)) end -= 1;
  return bytes.subarray(begin, end);
}
