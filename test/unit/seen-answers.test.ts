import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { openApiDocument } from '../../contract/openapi.ts';
import { EXCUSED } from '../harness/excused-answers.ts';
import { closeNotes, faultsOfRun, listedAnswers, noteAnswer } from '../harness/seen-answers.ts';

afterEach(() => vi.unstubAllEnvs());

it('a run fails for documented answers that no test has seen, unless they are excused', () => {
  const documented = ['getGroup 200', 'getGroup 404', 'getGroup 500', 'getUser 500'];
  const crash = { answers: / 500$/, reason: 'one for all' };
  expect(faultsOfRun(documented, new Set(documented), [])).toEqual([]);
  expect(faultsOfRun(documented, new Set(['getGroup 200']), [crash])).toEqual([
    expect.stringContaining('getGroup 404'),
  ]);
});

it('a run fails for an excuse without an answer to excuse', () => {
  const stale = { answers: /^getRing /, reason: 'there was one' };
  expect(faultsOfRun(['getGroup 200'], new Set(['getGroup 200']), [stale])).toEqual([
    expect.stringContaining('getRing'),
  ]);
});

it('answers recorded by this process are found at the end, once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'castellan-seen-'));
  vi.stubEnv('CASTELLAN_SEEN_ANSWERS', folder);
  for (let n = 0; n < 2; n += 1) noteAnswer('noSuchOperation', '299');
  expect(closeNotes(folder)).toEqual(new Set(['noSuchOperation 299']));
});

it('the excuses have reasons, and do not excuse a success', () => {
  const successes = listedAnswers(openApiDocument()).filter((answer) => / 2\d\d$/.test(answer));
  expect(successes.length).toBeGreaterThan(50);
  for (const { answers, reason } of EXCUSED) {
    expect(reason).toMatch(/\w+ \w+/);
    expect(successes.filter((answer) => answers.test(answer))).toEqual([]);
  }
});
