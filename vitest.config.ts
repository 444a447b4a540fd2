import { defineConfig } from 'vitest/config';
import { documentedAnswers } from './test/harness/documented-answers.ts';
import { LongestFirst } from './test/harness/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/{unit,api,jobs,contract,sdk,faults}/**/*.test.ts'],
    reporters: ['default', documentedAnswers()],
    globalSetup: 'test/harness/global-setup.ts',
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // Twice the minimum number of cores, as tests wait half of their time; each worker loads all modules once more.
    maxWorkers: 4,
    // Without isolation, so that modules are loaded once: every test file has its own database, and none mocks modules.
    isolate: false,
    // Seldom full, so that what a test leaves behind is seldom taken for what stays.
    execArgv: ['--max-semi-space-size=64'],
    // Timeouts end what hangs; what is merely slow, on a machine with other work, is none of their business.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
