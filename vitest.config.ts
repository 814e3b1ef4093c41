import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Those run in a browser of their own.
    exclude: ['test/element/**', 'test/e2e/**'],
    globalSetup: ['test/support/vitest-global.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 15_000,
    hookTimeout: 30_000,
    reporters: [['default', { summary: false }]],
  },
});
