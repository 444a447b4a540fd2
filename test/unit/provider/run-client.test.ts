import { describe, expect, it } from 'vitest';
import type { ProviderRequest } from '../../../server/provider/client.ts';
import { ProviderError } from '../../../server/provider/http.ts';
import { createRunClient, OUT_OF_TIME, RunEnded } from '../../../server/provider/run-client.ts';
import { madeAnswer } from '../../harness/provider.ts';
import { testRun } from '../../harness/run.ts';

type Reply = number | ProviderError;
const DOWN = new ProviderError('unreachable', 'the provider is away');
const OPTIONS = { concurrency: 3, failuresInARow: 2 };
const about = (path: string): ProviderRequest => ({ path, on: 'service' });

/** A provider whose answers the test gives; each failure costs three errors of its limit, a refusal one. */
function startRun(options: Partial<Parameters<typeof createRunClient>[2]> = {}, run = testRun('a-job')) {
  const open = new Map<string, (reply: Reply) => void>();
  const asked: ProviderRequest[] = [];
  const client = createRunClient(
    {
      ask(request) {
        asked.push(request);
        return new Promise((resolve, reject) => {
          open.set(request.path, (reply) => {
            open.delete(request.path);
            const cost = typeof reply === 'number' ? Number(reply >= 400) : 3;
            if (request.tally !== undefined) request.tally.errors += cost;
            return typeof reply === 'number' ? resolve(madeAnswer(reply, [])) : reject(reply);
          });
        });
      },
    },
    run,
    { ...OPTIONS, ...options },
  );
  const settled = () => new Promise(setImmediate);
  return {
    client,
    asked,
    /** The paths of pending requests. */
    async open() {
      await settled();
      return [...open.keys()];
    },
    async reply(path: string, reply: Reply) {
      await settled();
      open.get(path)?.(reply);
      await settled();
    },
    /** Requests these concurrently; the result of each is its fault. */
    ask: (...paths: string[]) => Promise.all(paths.map((path) => outcomeOf(client.ask(about(path))))),
  };
}

async function outcomeOf(asked: Promise<{ status: number }>): Promise<unknown> {
  return asked.then(
    ({ status }) => status,
    (error: unknown) => (error instanceof ProviderError ? error.fault : error),
  );
}

describe('D63: the provider’s client of a run', () => {
  it('sends the first request alone, then more and more concurrently, and one alone after a failure', async () => {
    const { ask, open, reply } = startRun();
    void ask('/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8');
    expect(await open()).toEqual(['/1']);
    await reply('/1', 200);
    expect(await open()).toEqual(['/2', '/3']);
    await reply('/2', 200);
    expect(await open()).toEqual(['/3', '/4', '/5']);
    await reply('/3', DOWN);
    await reply('/4', 200);
    expect(await open()).toEqual(['/5', '/6']);
  });

  it('consecutive failures end it: waiting requests fail as exhausted and are not sent', async () => {
    const { ask, reply, asked, client } = startRun();
    const outcomes = ask('/1', '/2', '/3', '/4', '/5');
    await reply('/1', 200);
    await reply('/2', DOWN);
    expect(client.stopped).toBeUndefined();
    await reply('/3', DOWN);
    expect(await outcomes).toEqual([200, 'unreachable', 'unreachable', 'exhausted', 'exhausted']);
    expect(asked).toHaveLength(3);
    expect(client.stopped).toBe('the provider is away');
  });

  it('fewer failures end it before the first success', async () => {
    const { ask, reply, client } = startRun({ failuresInARow: 3, failuresAtStart: 1 });
    void ask('/1');
    await reply('/1', DOWN);
    expect(client.stopped).toBe('the provider is away');
  });

  it('a user without a token does not count as a failure', async () => {
    const { ask, reply, client } = startRun({ failuresInARow: 1 });
    void ask('/1');
    await reply('/1', new ProviderError('no-token', 'none'));
    expect(client.stopped).toBeUndefined();
  });

  it('a request that may cost more errors than are left waits for pending ones, and is not sent if they used them up', async () => {
    const { ask, open, reply, client } = startRun({ errors: 6 });
    const outcomes = ask('/1', '/2', '/3', '/4');
    await reply('/1', 200);
    expect(await open()).toEqual(['/2', '/3']);
    // One error, and three tries of two requests each, are seven.
    await reply('/2', 404);
    expect(await open()).toEqual(['/3']);
    await reply('/3', DOWN);
    expect(await outcomes).toEqual([200, 404, 'unreachable', 'exhausted']);
    expect(client.stopped).toBe('the provider has answered with too many errors');
  });

  it('a request with an access token may cost twice as many, because a refused token is renewed', async () => {
    const { client, open } = startRun({ errors: 5 });
    const as = { characterId: 1, scope: 'ext-wallet.read_character_wallet.v1' } as const;
    expect(await outcomeOf(client.ask({ ...about('/1'), as }))).toBe('exhausted');
    const patient = startRun({ errors: 5, patient: true });
    void patient.client.ask({ ...about('/1'), as });
    expect([await open(), await patient.open()]).toEqual([[], ['/1']]);
  });

  it('time is reserved for writing', async () => {
    let left = 1;
    const { ask, reply, client } = startRun({ timeToWrite: 0.2 }, testRun('a-job', { timeLeft: () => left }));
    const outcomes = ask('/1', '/2');
    left = 0.1;
    await reply('/1', 200);
    expect(await outcomes).toEqual(['exhausted', 'exhausted']);
    expect(client.stopped).toBe(OUT_OF_TIME);
  });

  it('D33: its requests are charged as those of jobs', async () => {
    const { ask, asked, reply, client } = startRun();
    void ask('/1');
    await reply('/1', 200);
    void client.unit().ask(about('/2'));
    await reply('/2', 200);
    expect(asked.map(({ on }) => on)).toEqual(['job', 'job']);
  });

  it('patience can be set for the run, or for one request', async () => {
    const patient = startRun({ patient: true });
    void patient.ask('/1');
    await patient.reply('/1', 200);
    const usual = startRun();
    void usual.client.ask({ ...about('/1'), patient: true });
    await usual.reply('/1', 200);
    void usual.ask('/2');
    await usual.reply('/2', 200);
    expect([...patient.asked, ...usual.asked].map((request) => request.patient)).toEqual([true, true, false]);
  });

  it('after an abort it waits for no answer', async () => {
    const ending = new AbortController();
    const { ask, client, open } = startRun({}, testRun('a-job', { signal: ending.signal }));
    const outcomes = Promise.all([ask('/1', '/2'), outcomeOf(client.unit().ask(about('/3')))]);
    expect(await open()).toEqual(['/1']);
    ending.abort();
    const { reason } = ending.signal;
    expect(await outcomes).toEqual([[reason, reason], reason]);
    expect(await ask('/4')).toEqual([reason]);
  });
});

describe('D63: a unit of work', () => {
  it('gives up at its first failure, which counts once; the next one continues', async () => {
    const { client, open, reply, asked } = startRun();
    await Promise.all([outcomeOf(client.ask(about('/0'))), reply('/0', 200)]);
    const unit = client.unit();
    const outcomes = ['/1', '/2', '/3'].map((path) => outcomeOf(unit.ask(about(path))));
    expect(await open()).toEqual(['/1', '/2']);
    await reply('/1', DOWN);
    await reply('/2', DOWN);
    expect(await Promise.all(outcomes)).toEqual(['unreachable', 'unreachable', 'unreachable']);
    expect(asked.map(({ path }) => path)).toEqual(['/0', '/1', '/2']);
    expect(unit.fault).toBe(DOWN);
    expect(client.stopped).toBeUndefined();
    const next = client.unit();
    const [outcome] = await Promise.all([outcomeOf(next.ask(about('/4'))), reply('/4', 200)]);
    expect([outcome, next.fault]).toEqual([200, undefined]);
  });

  it('goes on after an optional request, whose failures count for the run, but not at a limit of the provider', async () => {
    const { client, reply } = startRun({ failuresInARow: 3 });
    await Promise.all([outcomeOf(client.ask(about('/0'))), reply('/0', 200)]);
    const unit = client.unit();
    const answered = async (path: string, with_: Reply, optional = true) =>
      (await Promise.all([outcomeOf(unit.ask({ ...about(path), optional })), reply(path, with_)]))[0];
    expect(unit.failed).toBe(false);
    expect(await answered('/1', DOWN)).toBe('unreachable');
    expect(await answered('/2', DOWN)).toBe('unreachable');
    expect(await answered('/3', 200)).toBe(200);
    expect([unit.fault, unit.failed]).toEqual([undefined, true]);
    const limit = new ProviderError('exhausted', 'enough', { retryAfter: 60 });
    expect(await answered('/4', limit)).toBe('exhausted');
    expect(unit.fault).toBe(limit);
    const other = client.unit();
    for (const path of ['/5', '/6'])
      await Promise.all([outcomeOf(other.ask({ ...about(path), optional: true })), reply(path, DOWN)]);
    expect(client.stopped).toBe(DOWN.message);
  });

  it('the end of the run does not count as a failure', async () => {
    const { client } = startRun();
    client.stop('enough');
    const unit = client.unit();
    await expect(unit.ask(about('/1'))).rejects.toBeInstanceOf(RunEnded);
    expect(unit.fault).toBeUndefined();
  });
});
