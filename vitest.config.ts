import { defineConfig } from 'vitest/config';
import { documentedAnswers } from './test/harness/documented-answers.ts';

export default defineConfig({
  test: {
    include: ['test/{unit,api,jobs,contract,sdk,faults}/**/*.test.ts'],
    reporters: ['default', documentedAnswers()],
    globalSetup: 'test/harness/global-setup.ts',
    pool: 'forks',
    // One more than the cores that can be counted on: tests wait for pauses and for PostgreSQL.
    maxWorkers: 3,
    // Every file has a database of its own and no file replaces modules, so that those are loaded once.
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // What is waited for comes at once, or late where the machine is busy.
    expect: { poll: { timeout: 15_000 } },
  },
});
