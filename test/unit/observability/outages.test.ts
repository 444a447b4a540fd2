import { beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../../server/observability/log.ts';
import { createOutages, type Outages } from '../../../server/observability/outages.ts';
import { ProviderError } from '../../../server/provider/http.ts';

/** The time in milliseconds on a clock that stands still. */
let time: number;
let lines: Record<string, unknown>[];
let outages: Outages;
beforeEach(() => {
  time = 1_000_000;
  lines = [];
  const log = createLog('info', { write: (line) => lines.push(JSON.parse(line)) });
  outages = createOutages(log, { now: () => new Date(time) });
});

const away = (words = 'nobody there') => new ProviderError('unreachable', words);
const fail = (err: unknown = away(), message = 'could not be asked') =>
  outages.failed('the oracle', { err, run_id: 'r' }, message);
const messages = () => lines.map(({ msg }) => msg);

describe('failures during an outage do not fill the log', () => {
  it('the first failure is logged in full', () => {
    fail();
    expect(lines).toMatchObject([
      { level: 'warn', msg: 'could not be asked', run_id: 'r', err: { message: 'nobody there' } },
    ]);
  });

  it('then a count each minute, in one line', () => {
    for (let second = 0; second <= 180; second += 2) {
      fail(away(`no way to character ${second}`));
      time += 2_000;
    }
    expect(messages()).toEqual([
      'could not be asked',
      'could not be asked (again)',
      'could not be asked (again)',
      'could not be asked (again)',
    ]);
    expect(lines[1]).toMatchObject({
      times: 30,
      reason: 'ProviderError: no way to character 60',
      run_id: 'r',
    });
    expect(lines.slice(1).every((line) => JSON.stringify(line).length < 250)).toBe(true);
  });

  it('a clock that was ahead and is set back does not silence the counts', () => {
    fail();
    time -= 365 * 86_400_000;
    fail();
    time += 30_000;
    fail();
    time += 30_000;
    fail();
    expect(lines.map(({ times }) => times)).toEqual([undefined, 1, 2]);
  });

  it('then one line when it works again, and the next failure is logged in full again', () => {
    fail();
    time += 30_000;
    fail();
    outages.worked('the oracle');
    outages.worked('the oracle');
    expect(lines.slice(1)).toMatchObject([
      { level: 'info', msg: 'the oracle: works again', failures: 2, seconds: 30 },
    ]);
    time += 3_600_000;
    outages.worked('the oracle');
    fail();
    expect(lines[2]).toMatchObject({ msg: 'could not be asked', err: { message: 'nobody there' } });
  });

  it('alternating failure and success is logged at most twice a minute', () => {
    for (let second = 0; second < 600; second += 1) {
      fail();
      outages.worked('the oracle');
      time += 1_000;
    }
    expect(lines).toHaveLength(20);
  });

  it('another kind of failure is logged in full: another error, text, message or subject', () => {
    fail();
    fail(new Error('nobody there'));
    fail(away('nobody answers'));
    fail(away(), 'could not be thanked');
    outages.failed('another oracle', { err: away() }, 'could not be asked');
    expect(lines).toHaveLength(5);
    expect(lines.every((line) => 'err' in line)).toBe(true);
  });

  it('the number of kinds of failure is bounded', () => {
    for (let n = 0; n < 1_000; n += 1) fail(away(`new ${'!'.repeat(n % 100)}`));
    expect(lines).toHaveLength(21);
  });

  it('a success without a failure before is not logged', () => {
    outages.worked('the oracle');
    expect(lines).toEqual([]);
  });

  it('no token is logged', () => {
    fail();
    time += 60_000;
    fail(away('refused Bearer abcdefgh'));
    expect(JSON.stringify(lines[1])).not.toContain('abcdefgh');
  });
});
