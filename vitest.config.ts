import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{unit,api,jobs,contract,sdk,faults}/**/*.test.ts'],
    globalSetup: 'test/harness/global-setup.ts',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
