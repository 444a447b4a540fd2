import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../server/http/listen.ts';
import { SmallPieces } from '../../../server/http/small-pieces.ts';

const KIB = 1024;

function taken(passed: readonly Buffer[] | string): readonly Buffer[] {
  if (typeof passed === 'string') throw new Error(passed);
  return passed;
}

/** What is passed on of a body that comes in pieces of these sizes. */
function passedOn(sizes: readonly number[]): { readonly sent: Buffer; readonly passed: readonly Buffer[] } {
  const small = new SmallPieces();
  const pieces = sizes.map((size, n) => Buffer.alloc(size, n % 251));
  // Of each its own copy, as Node may use its memory again.
  const passed = pieces.flatMap((piece) => taken(small.add(Buffer.from(piece))));
  return { sent: Buffer.concat(pieces), passed: [...passed, ...small.rest()] };
}

describe('D3c: a body in many pieces', () => {
  it('arrives whole and in order, in pieces of which any two together have 4 KiB', () => {
    const size = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 20 * KIB }));
    fc.assert(
      fc.property(fc.array(size, { maxLength: 60 }), (sizes) => {
        const { sent, passed } = passedOn(sizes);
        expect(Buffer.concat(passed).equals(sent)).toBe(true);
        for (const [n, piece] of passed.entries()) {
          const next = passed[n + 1];
          if (next !== undefined) expect(piece.length + next.length).toBeGreaterThanOrEqual(4 * KIB);
        }
      }),
    );
  });

  it('that is one piece is not copied', () => {
    const small = new SmallPieces();
    const piece = Buffer.from('{}');
    expect([...taken(small.add(piece)), ...small.rest()][0]?.buffer).toBe(piece.buffer);
  });

  it('reaches its reader in a few, so that a client does not choose what it costs', async () => {
    const text = 'abcdefgh'.repeat(25 * KIB);
    const { answer, seen } = await sendInPieces(text, 8);
    expect(answer).toContain('200 OK');
    expect(Buffer.concat(seen).toString() === text).toBe(true);
    expect(seen.length).toBeLessThan(25);
  });

  it('of which there are too many is refused before it has arrived', async () => {
    const { answer, seen } = await sendInPieces('abcdefgh'.repeat(33 * KIB), 8);
    expect(answer).toContain('400 Bad Request');
    expect(answer).toContain('The body comes in too many pieces.');
    expect(Buffer.concat(seen).length).toBeLessThan(8 * 33 * KIB);
  });

  it('of a byte each is refused after some thousand, of which Node reads more at once', async () => {
    expect((await sendInPieces('a'.repeat(4 * KIB), 1)).answer).toContain('200 OK');
    const { answer, seen } = await sendInPieces('a'.repeat(5 * KIB), 1);
    expect(answer).toContain('The body comes in too many pieces.');
    expect(seen).toEqual([]);
  });

  it('may have 4,096, one more for each 8 bytes, and 32,768 in all', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), (size) => {
        const small = new SmallPieces();
        const piece = Buffer.alloc(size);
        let pieces = 0;
        while (typeof small.add(piece) !== 'string') pieces += 1;
        expect(pieces).toBe(Math.min(32_768, size < 8 ? Math.floor(4_096 / (1 - size / 8)) : 32_768));
      }),
    );
  });
});

async function sendInPieces(text: string, size: number) {
  const seen: Buffer[] = [];
  const server = await listen(
    (req, res) => {
      req.on('data', (piece: Buffer) => void seen.push(piece));
      req.on('end', () => res.end());
      req.on('close', () => res.end());
    },
    '127.0.0.1',
    0,
  );
  onTestFinished(() => server.stop());
  const socket = connect(server.port, '127.0.0.1');
  // The rest of what is refused may be reset.
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
  for (let at = 0; at < text.length; at += size)
    socket.write(`${size.toString(16)}\r\n${text.slice(at, at + size)}\r\n`);
  socket.write('0\r\n\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return { answer: answer.toString(), seen };
}
