import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../server/http/listen.ts';
import { READER_LIMITS } from '../../server/http/slow-readers.ts';

/** Milliseconds that a request has to arrive, and between the openings of two connections. */
const WITHIN = 300;
const APART = 200;
const CONNECTIONS = 15;
/** Milliseconds between the ends of two connections that did not end together. */
const TOGETHER = 30;

let http: Listening | undefined;
afterEach(() => http?.stop(0));

describe('a client that sends no request in time', () => {
  // A busy machine may let several ends that are apart look like one.
  it('gets a 408 soon after its own time, and not at once with all others of the same second', {
    retry: 2,
  }, async () => {
    http = await listen((_, answer) => answer.end(), '127.0.0.1', 0, READER_LIMITS, WITHIN);
    const ends: number[] = [];
    const wait = async (port: number) => {
      const client = connect({ port, host: '127.0.0.1' });
      await once(client, 'connect');
      expect(await text(client)).toMatch(/^HTTP\/1\.1 408 /);
      ends.push(performance.now());
    };
    const waiting: Promise<void>[] = [];
    for (let n = 0; n < CONNECTIONS; n += 1) {
      waiting.push(wait(http.port));
      await sleep(APART);
    }
    await Promise.all(waiting);
    const apart = ends.filter((end, n) => n === 0 || end - (ends[n - 1] ?? 0) > TOGETHER);
    // Twelve or so on a machine with nothing else to do, four if all those of a second ended together.
    expect(apart.length).toBeGreaterThan(CONNECTIONS / 3);
  });
});
