import { defineConfig } from 'vitest/config';

/** The tests that mutants have to survive (test/mutation/stryker.config.json): those that start no service. */
export default defineConfig({
  test: {
    include: ['test/unit/{access,keys,rate-limit,token}/*.test.ts'],
    globalSetup: 'test/harness/global-setup.ts',
    testTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } },
  },
});
