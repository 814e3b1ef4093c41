import { defineConfig } from 'vitest/config';
import { vitestReport } from './test/run/runner-reports.ts';
import { testSeed } from './test/support/seed.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Those run in a browser of their own, or by `npm run test:packages`.
    exclude: ['test/element/**', 'test/dashboard/**', 'test/e2e/**', 'test/packages/**'],
    globalSetup: ['test/support/vitest-global.ts'],
    setupFiles: ['test/support/vitest-setup.ts'],
    env: { TEST_SEED: testSeed() },
    pool: 'forks',
    // Twice the cores of a small machine: many tests wait for ledgers, pauses and processes.
    maxWorkers: 4,
    // Files share what is imported, and what of it is compiled by then: each has an app and a database of its own.
    isolate: false,
    // Tests wait for ledgers, browsers and processes: these bounds end what hangs, on a busy machine too.
    testTimeout: 45_000,
    hookTimeout: 60_000,
    reporters: [['default', { summary: false }], vitestReport()],
  },
});
