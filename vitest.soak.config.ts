import { defineConfig } from 'vitest/config';

/** Long tests, for faults that show only after minutes or many rounds. */
export default defineConfig({
  test: {
    include: ['test/soak/**/*.test.ts', 'test/api/heavy-bodies.test.ts'],
    env: { SOAK_BODIES: 'all' },
    globalSetup: 'test/harness/global-setup.ts',
    pool: 'forks',
    maxWorkers: 1,
    testTimeout: 30 * 60_000,
    hookTimeout: 2 * 60_000,
  },
});
