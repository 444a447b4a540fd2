import { defineConfig } from 'vitest/config';

/** Tests with a real browser and a complete start of the service; they start their own database. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // As in vitest.config.ts: what hangs is ended.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
