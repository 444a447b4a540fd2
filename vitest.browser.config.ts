import { defineConfig } from 'vitest/config';

/** Tests with a real browser against a real start: they bring their own database. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 3 * 60_000,
  },
});
