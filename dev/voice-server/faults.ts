import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { encodeAnswer } from './world.ts';

/** What can go wrong, one at a time, instead of a greeting or of an answer. */
export type VoiceServerFault =
  /** Nothing comes. */
  | { readonly kind: 'mute' }
  /** Half of it comes, and nothing more. */
  | { readonly kind: 'half' }
  /** Half of it, then a reset. */
  | { readonly kind: 'reset' }
  /** Half of it, then an orderly end. */
  | { readonly kind: 'disconnect' }
  /** All of it, one byte at a time. */
  | { readonly kind: 'drip'; readonly everyMillis: number }
  /** One line of that many bytes. */
  | { readonly kind: 'endless'; readonly bytes: number }
  /** Something that is no ServerQuery, or what a test says. */
  | { readonly kind: 'garbage'; readonly text?: string }
  /** An error instead: 524 with the seconds to wait; 3329 and 3331 hang up, too. */
  | { readonly kind: 'refuse'; readonly id: number; readonly seconds?: number };

/** Where a fault strikes: `connect`, or a command's name; `nth` counts both since the start. */
export interface VoiceMoment {
  readonly at: string;
  readonly nth: number;
}

const CHUNK = Buffer.alloc(65_536, 'a');
const GARBAGE =
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n\r\n\0\x01\x02\xff\\x\\\n\rerror\n\r';

/** Sends the proper greeting or answer faultily; what is refused is not even done. */
export async function sendFaulty(
  socket: Socket,
  fault: VoiceServerFault,
  produce: () => string,
): Promise<void> {
  if (fault.kind === 'refuse') {
    const extra = `please wait ${fault.seconds ?? 1} seconds`;
    socket.write(encodeAnswer({ id: fault.id, extra }));
    if (fault.id === 3329 || fault.id === 3331) socket.end();
    return;
  }
  const text = produce();
  const half = text.slice(0, text.length / 2);
  switch (fault.kind) {
    case 'mute':
      return;
    case 'half':
      socket.write(half);
      return;
    case 'reset':
      socket.write(half, () => socket.resetAndDestroy());
      return;
    case 'disconnect':
      socket.end(half);
      return;
    case 'drip':
      for (const byte of text) {
        if (socket.destroyed) return;
        socket.write(byte);
        await pause(fault.everyMillis);
      }
      return;
    case 'endless':
      for (let sent = 0; sent < fault.bytes && !socket.destroyed; sent += CHUNK.length) {
        if (!socket.write(CHUNK)) await room(socket);
      }
      return;
    case 'garbage':
      socket.write(fault.text ?? GARBAGE);
  }
}

/** Until more can be written, or never again. */
function room(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('drain', resolve).once('close', resolve);
  });
}
