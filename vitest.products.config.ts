import { defineConfig } from 'vitest/config';

/** What users of the SDK's package and of the OpenAPI document do with them, with tools of their own. */
export default defineConfig({
  test: {
    include: ['test/products/*.test.ts'],
    globalSetup: 'test/harness/global-setup.ts',
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 2 * 60_000,
    hookTimeout: 2 * 60_000,
  },
});
