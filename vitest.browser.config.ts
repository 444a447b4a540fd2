import { defineConfig } from 'vitest/config';

/** Tests with a real browser and a complete start of the service; they start their own database. */
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 3 * 60_000,
  },
});
