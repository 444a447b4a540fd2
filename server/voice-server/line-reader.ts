import { VoiceError } from './voice-error.ts';

const LINE_FEED = 0x0a;

/**
 * Splits a stream of bytes into lines that end in `\n\r`; empty lines are skipped. Buffers at most one line of
 * `longest` bytes.
 *
 * @throws VoiceError when a line is longer
 */
export function createLineReader(longest: number, onLine: (line: string) => void): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let length = 0;
  const take = (part: Buffer) => {
    length += part.length;
    if (length > longest) {
      parts = [];
      throw new VoiceError('unintelligible', `a line is longer than ${longest} bytes`);
    }
    parts.push(part);
  };
  return (chunk) => {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end === -1) break;
      take(chunk.subarray(start, end));
      const line = Buffer.concat(parts, length)
        .toString('utf8')
        .replace(/^\r+|\r+$/g, '');
      parts = [];
      length = 0;
      start = end + 1;
      if (line !== '') onLine(line);
    }
    if (start < chunk.length) take(chunk.subarray(start));
  };
}
