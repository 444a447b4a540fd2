import { defineConfig } from 'vitest/config';

/** Tests of the SDK's package and of generated clients, with the tools of their users. */
export default defineConfig({
  test: {
    include: ['test/products/*.test.ts'],
    globalSetup: 'test/harness/global-setup.ts',
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 5 * 60_000,
    expect: { poll: { timeout: 60_000 } },
    // Building an image takes minutes.
    hookTimeout: 30 * 60_000,
  },
});
