import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineReader } from '../../../server/voice-server/line-reader.ts';
import { VoiceError } from '../../../server/voice-server/voice-error.ts';

function read(chunks: readonly Buffer[], longest = 1_000): string[] {
  const lines: string[] = [];
  const reader = createLineReader(longest, (line) => lines.push(line));
  for (const chunk of chunks) reader(chunk);
  return lines;
}

describe('the line reader', () => {
  it('finds the same lines however the bytes are cut into chunks', () => {
    const line = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .filter((text) => !/[\r\n]/.test(text));
    fc.assert(
      fc.property(fc.array(line), fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (lines, sizes) => {
        const bytes = Buffer.from(lines.map((each) => `${each}\n\r`).join(''));
        const chunks: Buffer[] = [];
        for (let at = 0; at < bytes.length; ) {
          const { value: size } = sizes.next() as { value: number };
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(read(chunks)).toEqual(lines);
      }),
    );
  });

  it('refuses a line that is too long, complete or not', () => {
    expect(read([Buffer.from(`${'a'.repeat(10)}\n`)], 10)).toEqual(['a'.repeat(10)]);
    expect(() => read([Buffer.from(`${'a'.repeat(11)}\n`)], 10)).toThrow(VoiceError);
    expect(() => read([Buffer.from('aaaaaa'), Buffer.from('aaaaa')], 10)).toThrow(VoiceError);
  });
});
